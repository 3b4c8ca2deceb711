import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { claudeHooks } from '../test/claude-hooks.ts'
import { builtCli } from '../test/cli-process.ts'
import { ended, type FakeDaemon, listChildren, REFUSED, ShimLab, WAYS } from '../test/shim-lab.ts'
import { shimCall, writeShim } from './write-shim.ts'

let entry: string
let lab: ShimLab

beforeAll(async () => {
  const built = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-cli-'))
  entry = await builtCli(built)
  return () => fs.rmSync(built, { recursive: true, force: true })
})

afterEach(() => lab.close())

const claude = () => claudeHooks('one', lab.folder)

const DENIED = {
  hookSpecificOutput: {
    hookEventName: 'PreToolUse',
    permissionDecision: 'deny',
    permissionDecisionReason: expect.stringContaining("'write_file' requires: shell"),
  },
}

describe.each(WAYS)('the shim in %s', (way) => {
  beforeEach(() => {
    lab = new ShimLab(way, entry)
  })

  test("passes the daemon's answer to the harness, and prints nothing for an empty answer", async () => {
    await lab.startReal()
    expect(await lab.run(claude().pre('Write', 'a'))).toEqual({ code: 0, out: DENIED, err: '' })
    expect(await lab.run(claude().pre('Bash', 'b'))).toEqual({ code: 0, out: null, err: '' })
  })

  test('passes a hook of several megabytes, and text with shell syntax', async () => {
    await lab.startReal()
    const input = {
      command: `$(touch ${lab.folder}/x) \`id\` '"\\ %s \n`,
      more: 'x'.repeat(5_000_000),
    }
    expect(await lab.run(claude().pre('Write', 'a', input))).toEqual({
      code: 0,
      out: DENIED,
      err: '',
    })
    expect(fs.existsSync(path.join(lab.folder, 'x'))).toBe(false)
  })

  test('uses Node.js when curl is missing', async () => {
    await lab.startReal()
    expect(await lab.run(claude().pre('Write', 'a'), 'claude-code', { path: '/nowhere' })).toEqual({
      code: 0,
      out: DENIED,
      err: '',
    })
  })

  test.each<[string, FakeDaemon, string]>([
    ['answers with an error', { kind: 'says', status: 500, body: '{}' }, 'status 500'],
    ['answers with an empty body', { kind: 'says', body: '' }, 'did not answer with JSON'],
    ['answers with text that is not JSON', { kind: 'says', body: '<p>' }, 'not answer with JSON'],
    ['closes the connection without an answer', { kind: 'breaks off' }, 'could not be reached'],
    [
      'closes the connection during its answer',
      { kind: 'breaks off in its answer' },
      'could not be reached',
    ],
  ])('refuses when the daemon %s', async (_, fake, reason) => {
    await lab.startFake(fake)
    expect(await lab.run(claude().pre('Bash', 'a'))).toEqual(REFUSED(reason))
  })

  test('refuses when the daemon never answers', async () => {
    lab.write({ node: process.execPath, entry }, { maxSeconds: 1 })
    await lab.startFake({ kind: 'never answers' })
    expect(await lab.run(claude().pre('Bash', 'a'))).toEqual(REFUSED('did not answer in time'))
  })

  test('refuses without a daemon, with the command that starts it', async () => {
    const how = `Start it: signalbox daemon --socket ${lab.paths.socket}`
    expect(await lab.run(claude().pre('Bash', 'a'))).toEqual(REFUSED(how))
    const server = net.createServer().listen(lab.paths.socket)
    await once(server, 'listening')
    // State after a killed daemon: the file exists, and no process listens.
    fs.renameSync(lab.paths.socket, `${lab.paths.socket}.kept`)
    server.close()
    fs.renameSync(`${lab.paths.socket}.kept`, lab.paths.socket)
    expect(await lab.run(claude().stop())).toEqual(REFUSED(how))
  })

  test('refuses without curl and Node.js', async () => {
    lab.write({ node: '/nowhere/node', entry })
    const refused = await lab.run(claude().pre('Bash', 'a'), 'claude-code', { path: '/nowhere' })
    expect(refused).toEqual(REFUSED('Neither curl nor Node.js'))
  })

  test('refuses when its file is missing, and when it is killed', async () => {
    const missing = await lab.run(claude().pre('Bash', 'a'), 'claude-code', {
      command: `${shimCall(path.join(lab.folder, 'gone'), 'claude-code')} || exit 2`,
    })
    expect(missing).toEqual(REFUSED('not found'))
    const asked = vi.fn()
    // curl outlives the shim, and holds its output open.
    lab.write({ node: process.execPath, entry }, { maxSeconds: 1 })
    await lab.startFake({ kind: 'never answers', asked })
    const child = lab.start()
    const result = ended(child, claude().pre('Bash', 'a'))
    await vi.waitFor(() => expect(asked).toHaveBeenCalled(), { timeout: 20_000 })
    for (const pid of listChildren(child.pid)) process.kill(pid, 'SIGKILL')
    expect(await result).toMatchObject({ code: 2, out: null })
  })

  test('refuses when it is terminated while it waits', async () => {
    const asked = vi.fn()
    await lab.startFake({ kind: 'never answers', asked })
    const child = lab.start()
    const result = ended(child, claude().pre('Bash', 'a'))
    await vi.waitFor(() => expect(asked).toHaveBeenCalled(), { timeout: 20_000 })
    const [shim = 0] = listChildren(child.pid)
    // One command signals them all: the first process that ends may end the others before their signal arrives.
    spawnSync('sh', [
      '-c',
      `kill ${[shim, ...listChildren(shim)].filter((each) => each > 0).join(' ')}`,
    ])
    expect(await result).toEqual(REFUSED('interrupted'))
  })

  test('refuses a truncated stop with exit code 2, which is valid for every event', async () => {
    await lab.startReal()
    const torn = '{"hook_event_name":"Stop","session_id":"s","last'
    expect(await lab.run(torn, 'codex')).toEqual(REFUSED('status 400'))
    expect(await lab.run(torn, 'codex', { path: '/nowhere' })).toEqual(REFUSED('status 400'))
  })

  test('refuses an unknown harness', async () => {
    await lab.startReal()
    expect(await lab.run(claude().pre('Bash', 'a'), 'unknown')).toEqual(REFUSED('status 404'))
  })

  test('refuses in JSON for Copilot, which does not pass standard error to its model', async () => {
    const refusal = (reason: string) => ({
      code: 0,
      out: {
        permissionDecision: 'deny',
        permissionDecisionReason: expect.stringContaining(reason),
        decision: 'block',
        reason: expect.stringContaining(reason),
      },
    })
    expect(await lab.run({}, 'copilot')).toMatchObject(refusal('does not answer on'))
  })

  test('is not written when a path contains a quote', () => {
    expect(() => writeShim(lab.paths, { node: "/it's/node", entry })).toThrow('has a quote')
  })
})

describe('signalbox hook', () => {
  beforeEach(() => {
    lab = new ShimLab('sh', entry)
  })

  const byNode = (payload: object) => lab.run(payload, 'claude-code', { path: '/nowhere' })

  test("refuses in the harness's format without a daemon", async () => {
    const refused = await byNode(claude().pre('Bash', 'a'))
    expect(refused).toMatchObject({
      code: 0,
      out: { hookSpecificOutput: { permissionDecision: 'deny' } },
    })
    expect(await byNode(claude().stop())).toMatchObject({ out: { decision: 'block' } })
  })

  test('refuses when the daemon answers with an error', async () => {
    await lab.startFake({ kind: 'says', status: 500, body: '{}' })
    expect(await byNode(claude().stop())).toMatchObject({
      out: { decision: 'block', reason: expect.stringContaining('status 500') },
    })
  })
})
