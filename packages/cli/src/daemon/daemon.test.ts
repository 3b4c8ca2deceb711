import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import type { SessionEvent } from '@signalbox/core'
import { createGuardrails, type Diagnostic } from '@signalbox/runtime'
import { FakeControlPlane } from '@signalbox/testkit'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { claudeHooks } from '../test/claude-hooks.ts'
import { builtCli, startCli } from '../test/cli-process.ts'
import { makeSurroundings } from '../test/command-parts.ts'
import { RULES } from '../test/daemon-rules.ts'
import { askSocket } from './ask-socket.ts'
import { type Daemon, startDaemon } from './daemon.ts'
import { daemonPaths } from './daemon-paths.ts'

let folder: string
let running: Daemon[]
let diagnostics: Diagnostic[]

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-daemon-'))
  running = []
  diagnostics = []
})

afterEach(async () => {
  for (const daemon of running) await daemon.close()
  fs.rmSync(folder, { recursive: true, force: true })
})

const SOON = { timeout: 20_000 }
const around = () => makeSurroundings({ cwd: folder, home: folder })
const paths = () => daemonPaths(path.join(folder, 'daemon.sock'), around())
const written = () => fs.readFileSync(path.join(folder, 'events.jsonl'), 'utf8')
const events = (): SessionEvent[] =>
  written()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))

async function start(idleMs = 3_600_000, port: number | null = 0): Promise<Daemon> {
  const file = path.join(folder, 'events.jsonl')
  const daemon = await startDaemon({
    paths: paths(),
    port,
    guardrails: createGuardrails({
      config: RULES,
      onEvent: (line) => fs.appendFileSync(file, `${line}\n`),
    }),
    prompt: 'team/coder',
    idleMs,
    closingMs: 20,
    report: (diagnostic) => void diagnostics.push(diagnostic),
  })
  running.push(daemon)
  return daemon
}

async function stop(daemon: Daemon): Promise<void> {
  running = running.filter((each) => each !== daemon)
  await daemon.close()
}

async function hook(payload: object | string, socket = paths().socket) {
  const body = typeof payload === 'string' ? payload : JSON.stringify(payload)
  const answer = await askSocket(socket, { method: 'POST', path: '/hook/claude-code', body })
  return { status: answer.status, json: JSON.parse(answer.body) }
}

const denial = (reason: string) => ({
  status: 200,
  json: {
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: expect.stringContaining(reason),
    },
  },
})
const GO_ON = { status: 200, json: {} }
const claude = (session = 'one') => claudeHooks(session, folder)

async function overTcp(
  daemon: Daemon,
  init: RequestInit & { readonly headers?: Record<string, string> },
  route = '/hook/claude-code',
) {
  const response = await fetch(`http://127.0.0.1:${daemon.port}${route}`, init)
  return { status: response.status, json: await response.json() }
}

describe("a hook on the daemon's socket", () => {
  test("a hook on the daemon's socket is answered in the harness's format", async () => {
    await start()
    expect(await hook(claude().pre('Write', 'a'))).toEqual(denial("'write_file' requires: shell"))
    expect(await hook(claude().pre('Bash', 'b'))).toEqual(GO_ON)
    expect(await hook(claude().post('Bash', 'b'))).toEqual(GO_ON)
    expect(await hook(claude().pre('Write', 'c'))).toEqual(GO_ON)
  })

  test('opens a separate session for each session of the harness', async () => {
    await start()
    await hook(claude('one').pre('Bash', 'a'))
    await hook(claude('one').post('Bash', 'a'))
    expect(await hook(claude('two').pre('Write', 'b'))).toEqual(denial('requires: shell'))
    expect(new Set(events().map(({ session }) => session)).size).toBe(2)
  })

  test.each([
    ['is not an object', '[]', 'not a JSON object'],
    ['names no event', '{"session_id":"x"}', "no text in 'hook_event_name'"],
  ])('is refused when it %s', async (_, payload, reason) => {
    await start()
    expect(await hook(payload)).toEqual({
      status: 200,
      json: { decision: 'block', reason: expect.stringContaining(reason) },
    })
  })

  test('gets status 400, which shims refuse, when it is not JSON, because it may be a stop', async () => {
    await start()
    const json = { decision: 'block', reason: expect.stringContaining('did not send JSON') }
    expect(await hook('{"hook_event_name":"Stop",')).toEqual({ status: 400, json })
  })

  test('gets status 404 for an unknown harness', async () => {
    await start()
    const asked = { method: 'POST', path: '/hook/unknown', body: '{}' } as const
    expect((await askSocket(paths().socket, asked)).status).toBe(404)
  })

  test("a hook on the daemon's socket is refused when no config arrives within the time limit", async () => {
    const guardrails = createGuardrails({ config: RULES })
    running.push(
      await startDaemon({
        paths: paths(),
        port: null,
        guardrails: { ...guardrails, ready: () => new Promise(() => undefined) },
        prompt: 'team/coder',
        idleMs: 1,
        limitMs: 20,
        report: () => undefined,
      }),
    )
    expect(await hook(claude().pre('Bash', 'a'))).toEqual(denial('did not answer in time'))
  })

  test('waits for an approval as long as the timeout of the approval rule', async () => {
    const policies = [
      { id: 'ask', type: 'approval', tools: ['shell'], timeout_seconds: 60 },
    ] as const
    let approve: () => void = () => undefined
    const approved = new Promise<void>((resolve) => {
      approve = resolve
    })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const asked = vi.fn(async () =>
      approved.then(() => ({ decision: 'approved', by: 'me' }) as const),
    )
    const guardrails = createGuardrails({
      config: { ...RULES, policies },
      approvals: { decide: asked },
    })
    const parts = { paths: paths(), port: null, guardrails, prompt: 'team/coder', idleMs: 60_000 }
    running.push(await startDaemon({ ...parts, report: () => undefined }))
    const answer = hook(claude().pre('Bash', 'a'))
    // The fake clock advances only below, and the reviewer has a minute.
    await vi.waitFor(() => expect(asked).toHaveBeenCalled(), { timeout: 8_000 })
    await vi.advanceTimersByTimeAsync(50_000)
    approve()
    expect(await answer).toEqual(GO_ON)
  })

  test("a hook on the daemon's socket is recorded as denied when its approval arrives after the time limit of the answer", async () => {
    const recorded: SessionEvent[] = []
    let approve: () => void = () => undefined
    const approved = new Promise<void>((resolve) => {
      approve = resolve
    })
    const policies = [
      { id: 'ask', type: 'approval', tools: ['shell'], timeout_seconds: 60 },
    ] as const
    const guardrails = createGuardrails({
      config: { ...RULES, policies },
      onEvent: (line) => void recorded.push(JSON.parse(line)),
      approvals: { decide: async () => approved.then(() => ({ decision: 'approved', by: 'me' })) },
    })
    const parts = { paths: paths(), port: null, guardrails, prompt: 'team/coder', idleMs: 60_000 }
    running.push(await startDaemon({ ...parts, limitMs: 20, report: () => undefined }))
    expect(await hook(claude().pre('Bash', 'a'))).toEqual(denial('did not answer in time'))
    approve()
    await vi.waitFor(
      () =>
        expect(recorded.at(-1)).toMatchObject({
          type: 'tool.invoked',
          data: { outcome: 'denied' },
        }),
      SOON,
    )
    expect(recorded.map(({ type }) => type)).toContain('tool.decided')
  })
})

describe('the TCP port of the daemon', () => {
  const body = () => JSON.stringify(claude().pre('Bash', 'a'))
  const token = () => fs.readFileSync(paths().token, 'utf8').trim()

  test('decides a hook with the token, and refuses one without it with status 200', async () => {
    const daemon = await start()
    const authorization = `Bearer ${token()}`
    const post = { method: 'POST', body: body() }
    expect(await overTcp(daemon, { ...post, headers: { authorization } })).toEqual(GO_ON)
    for (const headers of [{}, { authorization: 'Bearer wrong' }, { authorization: token() }]) {
      expect(await overTcp(daemon, { ...post, headers })).toEqual(denial('did not send the token'))
    }
    expect(events().filter(({ type }) => type === 'tool.requested')).toHaveLength(1)
  })

  test('refuses a hook that cannot be parsed with status 200', async () => {
    const daemon = await start()
    const headers = { authorization: `Bearer ${token()}` }
    expect(await overTcp(daemon, { method: 'POST', body: '{', headers })).toMatchObject({
      status: 200,
      json: { decision: 'block' },
    })
  })

  test('answers a browser page or a foreign host name with 403, and records nothing', async () => {
    const daemon = await start()
    const headers = { authorization: `Bearer ${token()}`, origin: 'http://example.com' }
    expect((await overTcp(daemon, { method: 'POST', body: body(), headers })).status).toBe(403)
    const rebound = await askSocket(paths().socket, {
      method: 'POST',
      path: '/hook/claude-code',
      headers: { host: 'attacker.example' },
      body: body(),
    })
    expect(rebound.status).toBe(403)
    expect(fs.existsSync(path.join(folder, 'events.jsonl'))).toBe(false)
  })

  test('requires the token for /health, which reports the prompt and the config in force', async () => {
    const daemon = await start()
    expect((await overTcp(daemon, {}, '/health')).status).toBe(401)
    const headers = { authorization: `Bearer ${token()}` }
    expect(await overTcp(daemon, { headers }, '/health')).toMatchObject({
      status: 200,
      json: { pid: process.pid, prompt: 'team/coder', sessions: 0, config: { state: 'local' } },
    })
  })
})

describe("the daemon's folder", () => {
  test('holds a socket, a token and journals that only its user can access', async () => {
    await start()
    const readFileMode = (file: string) => (fs.statSync(file).mode & 0o777).toString(8)
    const { socket, token, sessions } = paths()
    expect([socket, token, sessions].map(readFileMode)).toEqual(['600', '600', '700'])
    await hook(claude().pre('Bash', 'a'))
    expect(fs.readdirSync(sessions).map((name) => readFileMode(path.join(sessions, name)))).toEqual(
      ['600'],
    )
  })

  test("the daemon's folder is refused when other users can enter it or read the token", async () => {
    fs.chmodSync(folder, 0o750)
    await expect(start()).rejects.toThrow('is open to other users')
    fs.chmodSync(folder, 0o700)
    fs.writeFileSync(paths().token, 'x'.repeat(40), { mode: 0o644 })
    await expect(start()).rejects.toThrow('can be read by other users')
  })

  test('allows one daemon at a time, and another after the first has stopped', async () => {
    const daemon = await start()
    await expect(start()).rejects.toThrow(
      `A daemon is already running on ${paths().socket} (process ${process.pid}).`,
    )
    await stop(daemon)
    await start()
    expect(await hook(claude().pre('Bash', 'a'))).toEqual(GO_ON)
  })

  test('allows exactly one of two daemons that start at the same time, even without a port', async () => {
    const starting = [1, 2].map(() => start(3_600_000, null))
    const results = await Promise.allSettled(starting)
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(await hook(claude().pre('Bash', 'a'))).toEqual(GO_ON)
  })

  test('refuses a second daemon while the first is too busy to answer', async () => {
    const busy = net.createServer(() => undefined).listen(paths().socket)
    onTestFinished(() => void busy.close())
    await once(busy, 'listening')
    await expect(start()).rejects.toThrow('A daemon is already running on')
  })

  test('allows a new daemon when the process named in daemon.lock no longer exists', async () => {
    const gone = spawnSync(process.execPath, ['-e', ''])
    fs.writeFileSync(path.join(folder, 'daemon.lock'), String(gone.pid))
    await start()
    expect(await hook(claude().pre('Bash', 'a'))).toEqual(GO_ON)
    expect(fs.existsSync(path.join(folder, 'daemon.lock'))).toBe(false)
  })

  test('keeps the socket of a newer daemon when an older daemon stops', async () => {
    const first = await start()
    fs.rmSync(paths().socket)
    await start()
    await stop(first)
    expect(await hook(claude().pre('Bash', 'a'))).toEqual(GO_ON)
  })

  test("the daemon's folder has no socket after its daemon stops, even when a client never ends its request", async () => {
    const daemon = await start()
    const client = net.connect(paths().socket)
    client.on('error', () => undefined)
    client.write('POST /hook/codex HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{')
    // The daemon has read the first part once it answers a later request.
    await hook(claude().pre('Bash', 'a'))
    await stop(daemon)
    expect(fs.existsSync(paths().socket)).toBe(false)
    client.destroy()
  })

  test("the daemon's folder is refused when its socket path is longer than the system allows", () => {
    expect(() => daemonPaths(`/${'x'.repeat(120)}`, around())).toThrow('is longer than')
  })
})

describe('a session of the daemon', () => {
  test('continues after a restart of the daemon, where its earlier results still count', async () => {
    const first = await start()
    await hook(claude().pre('Bash', 'a'))
    await hook(claude().post('Bash', 'a'))
    await stop(first)
    await start()
    expect(await hook(claude().pre('Write', 'b'))).toEqual(GO_ON)
    expect(new Set(events().map(({ session }) => session)).size).toBe(1)
  })

  test('ends as completed with its harness, and leaves no journal', async () => {
    await start()
    await hook(claude().pre('Bash', 'a'))
    await hook(claude().end())
    expect(events().at(-1)).toMatchObject({ type: 'session.ended', data: { reason: 'completed' } })
    expect(fs.readdirSync(paths().sessions)).toEqual([])
  })

  test('begins again without earlier results when a hook has the name of an ended session', async () => {
    await start()
    await hook(claude().pre('Bash', 'a'))
    await hook(claude().post('Bash', 'a'))
    const [, refused] = await Promise.all([hook(claude().end()), hook(claude().pre('Write', 'b'))])
    expect(refused).toEqual(denial('requires: shell'))
    expect(new Set(events().map(({ session }) => session)).size).toBe(2)
  })

  test('ends as aborted and leaves no journal when it is idle after a restart of the daemon', async () => {
    const first = await start()
    await hook(claude().pre('Bash', 'a'))
    await stop(first)
    await start(1)
    await vi.waitFor(
      () =>
        expect(events().at(-1)).toMatchObject({
          type: 'session.ended',
          data: { reason: 'aborted' },
        }),
      SOON,
    )
    await vi.waitFor(() => expect(fs.readdirSync(paths().sessions)).toEqual([]), SOON)
  })

  test('refuses calls and stops when its journal was changed, and names the file', async () => {
    const first = await start()
    await hook(claude().pre('Bash', 'a'))
    await stop(first)
    const [name = ''] = fs.readdirSync(paths().sessions)
    const file = path.join(paths().sessions, name)
    const changed = fs.readFileSync(file, 'utf8').replace('"tool":"shell"', '"tool":"other"')
    fs.writeFileSync(file, changed)
    await start()
    expect(await hook(claude().pre('Bash', 'b'))).toEqual(denial(`from its journal ${file}: `))
    expect(await hook(claude().stop())).toMatchObject({ json: { decision: 'block' } })
  })

  test('ignores a torn line of its journal, because that hook was never answered', async () => {
    const first = await start()
    await hook(claude().pre('Bash', 'a'))
    await stop(first)
    const [name = ''] = fs.readdirSync(paths().sessions)
    fs.appendFileSync(path.join(paths().sessions, name), '{"session":"sess_')
    const second = await start()
    expect(await hook(claude().post('Bash', 'a'))).toEqual(GO_ON)
    await stop(second)
    await start()
    expect(await hook(claude().pre('Write', 'b'))).toEqual(GO_ON)
  })
})

test('a daemon killed during a request resumes the session, and the server receives one log without a gap', async () => {
  const plane = new FakeControlPlane()
  await plane.start()
  plane.publish(RULES)
  const cli = await builtCli(folder)
  const words = ['daemon', '--socket', paths().socket, '--port', 'off']
  const env = {
    HOME: folder,
    SIGNALBOX_URL: plane.url,
    SIGNALBOX_API_KEY: plane.apiKey,
    SIGNALBOX_PROMPT: 'team/coder',
  }
  const up = async () => {
    const started = startCli(cli, words, env)
    await vi.waitFor(
      () => {
        expect(started.err()).toContain('signalbox daemon: team/coder on')
        expect(started.err()).toContain('signalbox daemon: The rules of team/coder v1 in ')
      },
      { timeout: 10_000 },
    )
    return started
  }
  const first = await up()
  expect(await hook(claude().pre('Bash', 'a'))).toEqual(GO_ON)
  expect(await hook(claude().post('Bash', 'a'))).toEqual(GO_ON)
  const cut = hook(claude().pre('Bash', 'b')).catch(() => 'no answer')
  first.process.kill('SIGKILL')
  await once(first.process, 'exit')
  await cut

  const second = await up()
  expect(await hook(claude().pre('Write', 'c'))).toEqual(GO_ON)
  second.process.kill('SIGTERM')
  expect(await once(second.process, 'exit')).toEqual([0, null])
  expect(second.err()).toMatch(/^signalbox daemon: Stopping\.\nsignalbox daemon: Stopped\.$/m)
  const [session = ''] = plane.events.sessions()
  expect(plane.events.sessions()).toHaveLength(1)
  const log = plane.events.events(session)
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1))
  expect(log.at(-1)?.type).toBe('tool.decided')
  expect(first.err() + second.err()).not.toContain(plane.apiKey)
  await plane.stop()
}, 60_000)

describe('the daemon command', () => {
  test.each<[string, readonly string[], string]>([
    ['without rules', [], 'No rules are specified: use --config <file>'],
    [
      'without a key',
      ['--url', 'http://127.0.0.1:1'],
      'Without --config, --api-key or SIGNALBOX_API_KEY is required.',
    ],
    [
      'with a file for events that it would not write',
      ['--url', 'http://127.0.0.1:1', '--events', 'events.jsonl'],
      '--events works only with --config',
    ],
    ['with an invalid port', ['--config', 'c', '--port', '99999'], 'The port "99999" is invalid'],
    [
      'with a config file that does not exist',
      ['--config', 'none.json'],
      'none.json cannot be read',
    ],
  ])('exits with 2 and reports the reason when it is started %s', async (_, words, message) => {
    const { nodeIo } = await import('../base/node-io.ts')
    const { run } = await import('../run.ts')
    const err: string[] = []
    const io = { ...nodeIo(), err: (line: string) => void err.push(line) }
    expect(await run(['daemon', ...words], io, around())).toBe(2)
    expect(err.join('\n')).toContain(message)
  })
})
