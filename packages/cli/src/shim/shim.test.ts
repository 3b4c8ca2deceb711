// The shim with real processes: run by a shell as harnesses do, against daemons that fail in every way.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { createGuardrails } from '@signalbox/runtime'
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { startDaemon } from '../daemon/daemon.ts'
import { daemonPaths } from '../daemon/daemon-paths.ts'
import { claudeHooks } from '../test/claude-hooks.ts'
import { builtCli } from '../test/cli-process.ts'
import { RULES } from '../test/daemon-rules.ts'
import { shimCall, writeShim } from './write-shim.ts'

let built: string
let entry: string
let folder: string
let closing: (() => unknown)[]

beforeAll(async () => {
  built = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-cli-'))
  entry = await builtCli(built)
  return () => fs.rmSync(built, { recursive: true, force: true })
})

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "sbx shim's-").replace("'", ''))
  closing = []
  writeShim(paths(), { node: process.execPath, entry }, 1)
})

afterEach(async () => {
  for (const close of closing) await close()
  fs.rmSync(folder, { recursive: true, force: true })
})

const paths = () => {
  const around = { env: {}, cwd: folder, home: folder, node: '', entry: '' }
  const stopSignal = () => new AbortController().signal
  return daemonPaths(path.join(folder, 'd.sock'), {
    ...around,
    stopSignal,
    readInput: async () => '',
  })
}
const claude = () => claudeHooks('one', folder)

async function startReal(): Promise<void> {
  const guardrails = createGuardrails({ config: RULES })
  const parts = { paths: paths(), port: null, guardrails, prompt: 'team/coder', idleMs: 3_600_000 }
  const daemon = await startDaemon({ ...parts, report: () => undefined })
  closing.push(() => daemon.close())
}

async function startFake(answer: http.RequestListener): Promise<void> {
  const server = http.createServer(answer)
  server.listen(paths().socket)
  await once(server, 'listening')
  closing.push(() => {
    server.close()
    server.closeAllConnections()
  })
}

function started(harness: string, options: { path?: string; command?: string } = {}): ChildProcess {
  const command = options.command ?? `${shimCall(paths().shim, harness)} || exit 2`
  const env = { NODE_ENV: 'production', PATH: options.path ?? '/usr/bin:/bin' } as const
  return spawn('/bin/sh', ['-c', command], { env, stdio: ['pipe', 'pipe', 'pipe'] })
}

async function ended(child: ChildProcess, payload: object | string) {
  const { stdin, stdout, stderr } = child
  if (stdin === null || stdout === null || stderr === null) throw new Error('no pipes')
  stdin.on('error', () => undefined)
  stdin.end(typeof payload === 'string' ? payload : JSON.stringify(payload))
  const exit = once(child, 'exit')
  const [out, err] = await Promise.all([text(stdout), text(stderr)])
  const [code] = await exit
  return { code, out: out === '' ? null : JSON.parse(out), err }
}

const run = (payload: object | string, harness = 'claude-code', options = {}) =>
  ended(started(harness, options), payload)

const REFUSED = (reason: string) => ({ code: 2, out: null, err: expect.stringContaining(reason) })
const DENIED = {
  hookSpecificOutput: {
    hookEventName: 'PreToolUse',
    permissionDecision: 'deny',
    permissionDecisionReason: expect.stringContaining("'write_file' requires: shell"),
  },
}

describe('the shim', () => {
  test('hands over what the daemon says, and says nothing when there is nothing to say', async () => {
    await startReal()
    expect(await run(claude().pre('Write', 'a'))).toEqual({ code: 0, out: DENIED, err: '' })
    expect(await run(claude().pre('Bash', 'b'))).toEqual({ code: 0, out: null, err: '' })
  })

  test('hands over a hook of several megabytes, and text that a shell would read', async () => {
    await startReal()
    const input = { command: `$(touch ${folder}/x) \`id\` '"\\ %s \n`, more: 'x'.repeat(5_000_000) }
    expect(await run(claude().pre('Write', 'a', input))).toEqual({ code: 0, out: DENIED, err: '' })
    expect(fs.existsSync(path.join(folder, 'x'))).toBe(false)
  })

  test('works without curl, by Node.js', async () => {
    await startReal()
    expect(await run(claude().pre('Write', 'a'), 'claude-code', { path: '/nowhere' })).toEqual({
      code: 0,
      out: DENIED,
      err: '',
    })
  })

  test.each<[string, http.RequestListener, string]>([
    ['answers with an error', (_, response) => response.writeHead(500).end('{}'), 'status 500'],
    ['answers with nothing', (_, response) => response.end(''), 'did not answer with JSON'],
    ['answers with something else', (_, response) => response.end('<p>'), 'not answer with JSON'],
    ['breaks off', (_, response) => response.socket?.destroy(), 'could not be asked'],
    [
      'breaks off in its answer',
      (_, response) => {
        response.writeHead(200, { 'content-length': '100' }).write('{}')
        setImmediate(() => response.socket?.destroy())
      },
      'could not be asked',
    ],
    ['never answers', () => undefined, 'did not answer in time'],
  ])('refuses when the daemon %s', async (_, answer, reason) => {
    await startFake(answer)
    expect(await run(claude().pre('Bash', 'a'))).toEqual(REFUSED(reason))
  })

  test('refuses when there is no daemon, and says how to start it', async () => {
    const how = `Start it: signalbox daemon --socket ${paths().socket}`
    expect(await run(claude().pre('Bash', 'a'))).toEqual(REFUSED(how))
    const server = net.createServer().listen(paths().socket)
    await once(server, 'listening')
    // As a killed daemon leaves it: the file is there, and nobody listens.
    fs.renameSync(paths().socket, `${paths().socket}.kept`)
    server.close()
    fs.renameSync(`${paths().socket}.kept`, paths().socket)
    expect(await run(claude().stop())).toEqual(REFUSED(how))
  })

  test('refuses when neither curl nor Node.js is there', async () => {
    writeShim(paths(), { node: '/nowhere/node', entry }, 1)
    const refused = await run(claude().pre('Bash', 'a'), 'claude-code', { path: '/nowhere' })
    expect(refused).toEqual(REFUSED('Neither curl nor Node.js'))
  })

  test('refuses when it was removed, and when it is killed', async () => {
    const missing = await run(claude().pre('Bash', 'a'), 'claude-code', {
      command: `${shimCall(path.join(folder, 'gone'), 'claude-code')} || exit 2`,
    })
    expect(missing).toEqual(REFUSED('not found'))
    let asked = false
    await startFake(() => {
      asked = true
    })
    const child = started('claude-code')
    const result = ended(child, claude().pre('Bash', 'a'))
    await vi.waitFor(() => expect(asked).toBe(true), { timeout: 5000 })
    for (const pid of childrenOf(child.pid)) process.kill(pid, 'SIGKILL')
    expect(await result).toMatchObject({ code: 2, out: null })
  })

  test('refuses a stop that cannot be read, in the way that holds for every hook', async () => {
    await startReal()
    const torn = '{"hook_event_name":"Stop","session_id":"s","last'
    expect(await run(torn, 'codex')).toEqual(REFUSED('status 400'))
    expect(await run(torn, 'codex', { path: '/nowhere' })).toEqual(REFUSED('status 400'))
  })

  test('refuses a harness that nobody knows', async () => {
    await startReal()
    expect(await run(claude().pre('Bash', 'a'), 'unknown')).toEqual(REFUSED('status 404'))
  })

  test('speaks as Copilot wants it, which does not hand over standard error', async () => {
    const refusal = (reason: string) => ({
      code: 0,
      out: {
        permissionDecision: 'deny',
        permissionDecisionReason: expect.stringContaining(reason),
        decision: 'block',
        reason: expect.stringContaining(reason),
      },
    })
    expect(await run({}, 'copilot')).toMatchObject(refusal('does not answer on'))
  })

  test('is not written for a path that cannot be quoted', () => {
    expect(() => writeShim(paths(), { node: "/it's/node", entry })).toThrow('has a quote')
  })
})

describe('signalbox hook', () => {
  const byNode = (payload: object) => run(payload, 'claude-code', { path: '/nowhere' })

  test('refuses in the words of the harness when there is no daemon', async () => {
    const refused = await byNode(claude().pre('Bash', 'a'))
    expect(refused).toMatchObject({
      code: 0,
      out: { hookSpecificOutput: { permissionDecision: 'deny' } },
    })
    expect(await byNode(claude().stop())).toMatchObject({ out: { decision: 'block' } })
  })

  test('refuses when the daemon answers with something else', async () => {
    await startFake((_, response) => response.writeHead(500).end('{}'))
    expect(await byNode(claude().stop())).toMatchObject({
      out: { decision: 'block', reason: expect.stringContaining('status 500') },
    })
  })
})

/** Of a shell that waits for its program. */
function childrenOf(pid: number | undefined): readonly number[] {
  const list = fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return list.trim().split(' ').map(Number)
}
