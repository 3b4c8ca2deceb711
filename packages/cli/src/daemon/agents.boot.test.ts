// The agent protocol of a started `signalbox daemon`: transcripts, tokens, kills, and many calls at once.
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import https from 'node:https'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { SessionEvent } from '@signalbox/core'
import { FakeControlPlane, readTranscripts, replayTranscript } from '@signalbox/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { builtCli, type Started, startCli } from '../test/cli-process.ts'
import { RULES } from '../test/daemon-rules.ts'
import { askSocket } from './ask-socket.ts'

const TRANSCRIPTS = path.join(import.meta.dirname, '../../../../specs/transcripts')
const CAPABILITIES = {
  deny_reason: true,
  inject: 'in_result',
  block_stop: 'in_loop',
  max_blocks: null,
  structured: 'none',
  structured_attempts: null,
  failure: 'event',
  call_ids: true,
  batch: 'parallel',
  on_guard_crash: 'closed',
  on_guard_timeout: 'closed',
  ungoverned: [],
}

let built: string
let cli: string
let folder: string

beforeAll(async () => {
  built = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-agents-cli-'))
  cli = await builtCli(built)
})

afterAll(() => fs.rmSync(built, { recursive: true, force: true }))

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-agents-'))
})

const socket = () => path.join(folder, 'agent.sock')
const state = () => path.join(folder, '.local/state/signalbox')
const events = (): SessionEvent[] =>
  fs
    .readFileSync(path.join(folder, 'events.jsonl'), 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))

interface Running extends Started {
  /** Address over TCP; empty: none. */
  readonly address: string
}

/** The rules of RULES from a file, with every event in `events.jsonl`. Other words replace these. */
async function start(words: readonly string[] = [], env = {}): Promise<Running> {
  const file = path.join(folder, 'rules.json')
  fs.writeFileSync(file, JSON.stringify(RULES))
  const source = ['--config', file, '--events', path.join(folder, 'events.jsonl')]
  const place = ['--socket', path.join(folder, 'daemon.sock'), '--port', 'off', '--root', folder]
  const started = startCli(
    cli,
    ['daemon', ...place, ...(Object.keys(env).length > 0 ? [] : source), ...words],
    {
      HOME: folder,
      ...env,
    },
  )
  onTestFinished(async () => {
    if (started.process.exitCode === null && started.process.signalCode === null) {
      started.process.kill('SIGKILL')
      await once(started.process, 'exit')
    }
    fs.rmSync(folder, { recursive: true, force: true })
  })
  await vi.waitFor(
    () => {
      if (started.process.exitCode !== null) throw new Error(started.err())
      expect(started.err()).toContain('agents of')
    },
    { timeout: 20_000 },
  )
  return { ...started, address: /and (https?:\S+)$/m.exec(started.err())?.[1] ?? '' }
}

async function killed({ process: child }: Started): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

interface Reply {
  readonly status: number
  readonly json: { readonly [name: string]: unknown }
}

async function post(call: string, body: object): Promise<Reply> {
  const asked = { method: 'POST', path: `/agent/v1/${call}`, timeoutMs: 30_000 } as const
  const { status, body: text } = await askSocket(socket(), { ...asked, body: JSON.stringify(body) })
  return { status, json: JSON.parse(text) }
}

async function postTcp(to: string, secret: string, body: object): Promise<Reply> {
  const headers = { authorization: `Bearer ${secret}` }
  const response = await fetch(to, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: response.status, json: await response.json() }
}

const opening = (body: object = {}) => ({
  prompt: 'team/coder',
  session_key: 'run-1',
  agent: { name: 'triage', language: 'python' },
  capabilities: CAPABILITIES,
  ...body,
})

async function open(body: object = {}): Promise<string> {
  const opened = await post('sessions', opening(body))
  expect(opened.status).toBe(201)
  return `sessions/${String(opened.json['session'])}`
}

/** A control plane whose reviewers never answer. */
async function startPlane() {
  const plane = new FakeControlPlane()
  await plane.start()
  onTestFinished(() => plane.stop())
  const ask = { id: 'ask', type: 'approval', tools: ['deploy'], timeout_seconds: 600 }
  plane.publish({ ...RULES, policies: [ask] } as typeof RULES)
  const env = {
    SIGNALBOX_URL: plane.url,
    SIGNALBOX_API_KEY: plane.apiKey,
    SIGNALBOX_PROMPT: 'team/coder',
  }
  return { plane, env }
}

const before = (callId: string, tool: string) => ({ call_id: callId, tool, args: { n: callId } })
const ALLOW = { status: 200, json: { decision: 'allow' } }
const DENY = { status: 200, json: { decision: 'deny' } }

test('a daemon answers every transcript that needs no reviewer', async () => {
  const transcripts = readTranscripts(TRANSCRIPTS).filter(({ reviewer }) => reviewer === undefined)
  const configs = transcripts.flatMap(({ config }) => {
    const file = path.join(folder, `${config.key}.json`)
    fs.writeFileSync(file, JSON.stringify(config))
    return ['--config', file]
  })
  const { address } = await start([...configs, '--listen', '127.0.0.1:0', '--root', '/'])
  const token = fs.readFileSync(path.join(folder, 'agent.token'), 'utf8').trim()
  for (const transcript of transcripts) {
    const found = await replayTranscript(transcript, async ({ method, path: route, text }) => {
      if (transcript.over === 'socket')
        return askSocket(socket(), { method, path: route, body: text ?? '' })
      const headers = { authorization: `Bearer ${token}` }
      const response = await fetch(`${address}${route}`, { method, headers, body: text })
      return { status: response.status, body: await response.text() }
    })
    expect(found, `${transcript.title}\n${found.join('\n')}`).toEqual([])
  }
}, 60_000)

describe('a session of the agent protocol', () => {
  test('goes on after kill -9 of its daemon, with the answers that it gave', async () => {
    const first = await start()
    const session = await open()
    expect(await post(`${session}/before-tool`, before('a', 'shell'))).toEqual(ALLOW)
    const result = { call_id: 'a', outcome: 'success' }
    expect((await post(`${session}/after-tool`, result)).status).toBe(200)
    expect(await post(`${session}/before-tool`, before('b', 'shell'))).toEqual(ALLOW)
    await killed(first)

    await start()
    expect(await open()).toBe(session)
    expect(await post(`${session}/before-tool`, before('b', 'shell'))).toEqual(ALLOW)
    expect((await post(`${session}/before-tool`, before('b', 'other'))).status).toBe(409)
    expect(await post(`${session}/before-tool`, before('c', 'write_file'))).toEqual(ALLOW)
    expect((await post(`${session}/after-tool`, { ...result, call_id: 'b' })).status).toBe(200)
    expect((await post(`${session}/end`, { reason: 'completed' })).status).toBe(200)
    expect((await post(`${session}/before-tool`, before('d', 'shell'))).status).toBe(404)
    const log = events()
    // A resumed session offers its last event again.
    const numbers = [...new Set(log.map(({ seq }) => seq))]
    expect(numbers).toEqual(numbers.map((_, index) => index + 1))
    expect(new Set(log.map((each) => each.session)).size).toBe(1)
    const left = fs.readdirSync(path.join(folder, 'daemon.agents'), { recursive: true })
    expect(left).toEqual(['team~coder'])
  }, 60_000)

  test('denies a call that a killed daemon did not answer, and records that it did not run', async () => {
    const { plane, env } = await startPlane()
    const first = await start([], env)
    const session = await open()
    expect(await post(`${session}/before-tool`, before('a', 'deploy'))).toMatchObject({
      status: 202,
      json: { waiting: { approval: expect.stringMatching(/^apr_/), until: expect.any(Number) } },
    })
    await killed(first)

    await start([], env)
    const again = await post(`${session}/before-tool`, before('a', 'deploy'))
    expect(again).toMatchObject({
      ...DENY,
      json: { reason: expect.stringContaining('ended before') },
    })
    await post(`${session}/end`, { reason: 'aborted' })
    const id = session.slice('sessions/'.length)
    await vi.waitFor(() => expect(plane.events.events(id).at(-1)?.type).toBe('session.ended'), {
      timeout: 20_000,
    })
    const ends = plane.events.events(id).filter(({ type }) => type === 'tool.invoked')
    expect(ends).toMatchObject([{ data: { call_id: 'a', outcome: 'denied' } }])
  }, 60_000)

  test('does not keep its daemon from stopping while a reviewer is asked', async () => {
    const { env } = await startPlane()
    const { process: child } = await start([], env)
    const session = await open()
    expect((await post(`${session}/before-tool`, before('a', 'deploy'))).status).toBe(202)
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
  }, 60_000)

  test('outlives the reader of its messages', async () => {
    const { plane, env } = await startPlane()
    const { process: child } = await start([], env)
    child.stderr?.destroy()
    plane.publish({ ...RULES, policies: [] } as typeof RULES)
    // Within a second it writes that another version applies.
    await setTimeout(1500)
    const session = await open()
    expect(await post(`${session}/before-tool`, before('a', 'deploy'))).toMatchObject(ALLOW)
    expect(child.exitCode).toBe(null)
  }, 60_000)

  test('records the stops that its client let through while no daemon answered', async () => {
    const first = await start()
    const session = (await open()).slice('sessions/'.length)
    await killed(first)
    const notes = path.join(state(), 'overridden')
    fs.mkdirSync(notes, { recursive: true })
    const note = { at: 1_700_000_000_000, reason: 'The daemon did not answer.' }
    fs.writeFileSync(path.join(notes, '1.json'), JSON.stringify({ ...note, session }))
    fs.writeFileSync(path.join(notes, '2.json'), JSON.stringify({ ...note, session: 'sess_none' }))
    await start()
    expect(events().at(-1)).toMatchObject({
      type: 'completion.overridden',
      data: {
        cause: 'The daemon did not answer. (reported by the client at 2023-11-14T22:13:20.000Z)',
      },
    })
    expect(fs.readdirSync(notes)).toEqual(['2.json'])
  }, 60_000)

  test('answers 1,000 interleaved calls of 50 sessions, each as if it were alone', async () => {
    await start()
    const sessions = await Promise.all(
      Array.from({ length: 50 }, (_, n) => open({ session_key: `run-${n}` })),
    )
    const steps = async (session: string) => {
      for (let n = 0; n < 5; n += 1) {
        expect(await post(`${session}/before-tool`, before(`w${n}`, 'write_file'))).toMatchObject(
          n === 0 ? DENY : ALLOW,
        )
        const id = `s${n}`
        const all = await Promise.all([
          post(`${session}/before-tool`, before(id, 'shell')),
          post(`${session}/before-tool`, before(id, 'shell')),
        ])
        expect(all).toEqual([ALLOW, ALLOW])
        await post(`${session}/after-tool`, { call_id: id, outcome: 'success' })
      }
    }
    await Promise.all(sessions.map(steps))
    const requested = events().filter(({ type }) => type === 'tool.requested')
    expect(requested).toHaveLength(500)
  }, 120_000)
})

test('a daemon keeps at most 64 connections open, or four for each session that it may have', async () => {
  const { address } = await start(['--listen', '127.0.0.1:0', '--max-sessions', '1'])
  const { port } = new URL(address)
  for (const place of [{ path: socket() }, { host: '127.0.0.1', port: Number(port) }]) {
    const open = async () => {
      const connection = net.connect(place)
      await once(connection, 'connect')
      onTestFinished(() => void connection.destroy())
      return connection
    }
    const first = await open()
    for (let n = 1; n < 64; n += 1) await open()
    const refused = await open()
    refused.resume()
    await once(refused, 'close')
    expect(first.closed).toBe(false)
  }
}, 60_000)

describe('a token of the agent protocol', () => {
  test('opens the prompts that it names, and sees only the sessions that it opened', async () => {
    const other = path.join(folder, 'other.json')
    fs.writeFileSync(other, JSON.stringify({ ...RULES, key: 'other' }))
    const words = ['a=team/coder', 'b=team/other', 'c'].flatMap((each) => [
      '--token-file',
      path.join(folder, each),
    ])
    const { address } = await start(['--config', other, '--listen', '127.0.0.1:0', ...words])
    const read = (name: string) => fs.readFileSync(path.join(folder, name), 'utf8').trim()
    const [a, b, c] = ['a', 'b', 'c'].map(read)
    const ask = (secret: string, call: string, body: object) =>
      postTcp(`${address}/agent/v1/${call}`, secret, body)
    const opened = await ask(a!, 'sessions', opening())
    expect(opened.status).toBe(201)
    expect((await ask(a!, 'sessions', opening({ prompt: 'team/other' }))).status).toBe(403)
    expect((await ask(b!, 'sessions', opening())).status).toBe(403)
    expect((await ask('wrong', 'sessions', opening())).status).toBe(401)
    const session = `sessions/${String(opened.json['session'])}`
    const call = before('a', 'shell')
    for (const secret of [b!, c!])
      expect(await ask(secret, `${session}/before-tool`, call)).toMatchObject({
        status: 404,
        json: { code: 'session_unknown' },
      })
    expect((await post(`${session}/before-tool`, call)).status).toBe(404)
    expect(await ask(a!, `${session}/before-tool`, call)).toEqual(ALLOW)
    const same = await ask(c!, 'sessions', opening())
    expect(same.json['session']).not.toBe(opened.json['session'])
    expect(fs.statSync(path.join(folder, 'a')).mode & 0o777).toBe(0o600)
  }, 60_000)

  test('is required over TLS, too', async () => {
    const [key, cert] = [path.join(folder, 'key.pem'), path.join(folder, 'cert.pem')]
    const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']
    const named = ['-nodes', '-subj', '/CN=localhost', '-keyout', key, '-out', cert]
    expect(spawnSync('openssl', [...made, ...named]).status).toBe(0)
    const tls = ['--tls-cert', cert, '--tls-key', key]
    const { address } = await start(['--listen', '0.0.0.0:0', ...tls])
    const { port } = new URL(address)
    const to = { host: '127.0.0.1', port, servername: 'localhost', ca: fs.readFileSync(cert) }
    const ask = async (route: string) => {
      const request = https.get({ ...to, path: `/agent/v1/${route}` })
      const [response] = await once(request, 'response')
      response.resume()
      return response.statusCode
    }
    expect(await ask('health')).toBe(200)
    expect(await ask('sessions/sess_1')).toBe(401)
  }, 60_000)
})
