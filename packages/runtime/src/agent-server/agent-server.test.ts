// The agent protocol in one process: answers that come late, clients that leave, limits, and bodies that no client would send.
import fs from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { type ConfigDocument, omitUndefined } from '@signalbox/core'
import { dice } from '@signalbox/testkit'
import { type AgentPost, parseAgentBody } from '@signalbox/wire'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { IS_SOAK } from '@/scripts/soak-sample.mjs'
import { createGuardrails } from '../session/guardrails.ts'
import { AgentLab, type LabOptions, SECRETS } from './test/agent-lab.ts'

const RULES: ConfigDocument = {
  schema_version: 1,
  ns: 'team',
  key: 'coder',
  policies: [
    { id: 'run-first', type: 'sequential_dependency', dependencies: { write_file: ['shell'] } },
    { id: 'ask', type: 'approval', tools: ['deploy'], timeout_seconds: 600 },
    {
      id: 'read-first',
      type: 'read_before_write',
      read_tools: ['read'],
      write_tools: ['edit'],
    },
  ],
  task_completion_checker: { id: 'plan', type: 'plan' },
}

async function startLab(options: LabOptions = {}, config = RULES): Promise<AgentLab> {
  const lab = await AgentLab.start(config, options)
  onTestFinished(() => lab.stop())
  return lab
}

function temporaryFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-records-'))
  onTestFinished(() => fs.rmSync(folder, { recursive: true }))
  return folder
}

const before = (callId: string, tool: string, args = {}) => ({ call_id: callId, tool, args })
const ALLOW = { status: 200, json: { decision: 'allow' } }

/** A reviewer who approves when told to. */
function reviewer() {
  let approve = () => {}
  const approved = new Promise<void>((resolve) => {
    approve = resolve
  })
  const decide = async () => approved.then(() => ({ decision: 'approved' }) as const)
  return { approvals: { decide }, approve: () => approve() }
}

describe('a call that waits for a reviewer', () => {
  test('is held while it is repeated, and answered when the hold is over', async () => {
    const { approvals, approve } = reviewer()
    const lab = await startLab({ approvals, holdMs: 30 })
    const session = await lab.open()
    const ask = () => lab.post(`${session}/before-tool`, before('a', 'deploy'))
    const waiting = await ask()
    expect(waiting.status).toBe(202)
    expect(await ask()).toEqual(waiting)
    const answer = ask()
    approve()
    // The reviewer may be late for this hold.
    expect([202, 200]).toContain((await answer).status)
    expect(await ask()).toEqual(ALLOW)
  })

  test('is denied and recorded so when its client left before the answer', async () => {
    const { approvals, approve } = reviewer()
    const lab = await startLab({ approvals })
    const session = await lab.open()
    expect((await lab.post(`${session}/before-tool`, before('a', 'deploy'))).status).toBe(202)
    const gone = new AbortController()
    const text = JSON.stringify(before('a', 'deploy'))
    const request = { method: 'POST', path: `/agent/v1/${session}/before-tool`, text } as const
    const left = lab.send(null, gone.signal)(request)
    // A server that answers later requests has read this one, and later seen the end of its connection.
    const caughtUp = async () => {
      for (let n = 0; n < 3; n += 1) await lab.post(`${session}/beat`, {})
    }
    await vi.waitFor(() => expect(lab.received).toBe(3))
    await caughtUp()
    gone.abort()
    await expect(left).rejects.toThrow()
    await caughtUp()
    approve()
    await vi.waitFor(() =>
      expect(lab.events.at(-1)).toMatchObject({
        type: 'tool.invoked',
        data: { call_id: 'a', outcome: 'denied' },
      }),
    )
    expect(await lab.post(`${session}/before-tool`, before('a', 'deploy'))).toMatchObject({
      json: { decision: 'deny', reason: expect.stringContaining('no longer waited') },
    })
  })
})

describe('facts about files', () => {
  const edit = (callId: string) => before(callId, 'edit', { file_path: 'a.txt' })
  const NONCE = 'ab'.repeat(16)

  test('are looked up on a root that the client proved to share, and only on the socket', async () => {
    const lab = await startLab()
    const root = path.join(lab.folder, 'work')
    fs.mkdirSync(root)
    fs.writeFileSync(path.join(root, 'a.txt'), 'old')
    fs.writeFileSync(path.join(root, `.signalbox-${NONCE}`), NONCE)
    const proof = { workspace_root: root, root_nonce: NONCE }
    const shared = await lab.open(proof)
    expect((await lab.post(`${shared}/before-tool`, edit('a'))).json['decision']).toBe('deny')
    fs.rmSync(path.join(root, 'a.txt'))
    expect(await lab.post(`${shared}/before-tool`, edit('b'))).toEqual(ALLOW)
    const tcp = await lab.open(proof, SECRETS.all)
    expect((await lab.post(`${tcp}/before-tool`, edit('a'), SECRETS.all)).status).toBe(202)
    fs.rmSync(path.join(root, `.signalbox-${NONCE}`))
    const unproved = await lab.open({ ...proof, session_key: 'run-2' })
    expect((await lab.post(`${unproved}/before-tool`, edit('a'))).status).toBe(202)
  })

  test('are not answered with the id of a fact of another session or process', async () => {
    const lab = await startLab()
    const open = (key: string) => lab.open({ workspace_root: '/work', session_key: key })
    const needed = async (session: string) => {
      const { json } = await lab.post(`${session}/before-tool`, edit('a'))
      return Object(json['need'])[0].id
    }
    const [first, second] = [await open('run-1'), await open('run-2')]
    const late = { facts: [{ id: await needed(first), value: { exists: false } }] }
    const id = await needed(second)
    await lab.post(`${second}/facts`, late)
    expect(await needed(second)).toBe(id)
  })

  test('stay unknown without a workspace, and deny', async () => {
    const lab = await startLab()
    const session = await lab.open({}, SECRETS.all)
    const denied = await lab.post(`${session}/before-tool`, edit('a'), SECRETS.all)
    expect(denied).toMatchObject({ status: 200, json: { decision: 'deny' } })
  })

  test('stay unknown when the client does not answer in time, and deny', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const lab = await startLab()
    const session = await lab.open({ workspace_root: '/work' }, SECRETS.all)
    const ask = () => lab.post(`${session}/before-tool`, edit('a'), SECRETS.all)
    expect((await ask()).status).toBe(202)
    await vi.advanceTimersByTimeAsync(5000)
    expect(await ask()).toMatchObject({ status: 200, json: { decision: 'deny' } })
  })

  test('are refused with a workspace outside of the roots, also through a link', async () => {
    const lab = await startLab()
    const [inside, outside] = ['roots', 'elsewhere'].map((name) => path.join(lab.folder, name))
    fs.mkdirSync(inside!)
    fs.mkdirSync(outside!)
    fs.symlinkSync(outside!, path.join(inside!, 'link'))
    const confined = await startLab({ roots: [inside!] })
    for (const root of [outside, `${inside}/../elsewhere`, '/', `${inside}2`])
      expect(
        (await confined.post('sessions', confined.opening({ workspace_root: root }))).status,
      ).toBe(403)
    fs.writeFileSync(path.join(outside!, `.signalbox-${NONCE}`), NONCE)
    const proof = { workspace_root: path.join(inside!, 'link'), root_nonce: NONCE }
    const session = await confined.open(proof)
    expect((await confined.post(`${session}/before-tool`, edit('a'))).status).toBe(202)
  })
})

describe('a report of a stop that a client let through', () => {
  const report = (folder: string, session: string, name = '1.json') => {
    const file = path.join(folder, name)
    const content = { session: session.replace('sessions/', ''), at: 0, reason: 'No answer.' }
    fs.writeFileSync(file, JSON.stringify(content))
    return file
  }
  const overrides = ({ events }: AgentLab) =>
    events.map(({ type }) => type).filter((type) => type === 'completion.overridden')

  test('is recorded once, before its session ends', async () => {
    const overridden = temporaryFolder()
    const lab = await startLab({ overridden })
    const [ended, idle] = [await lab.open(), await lab.open({ session_key: 'run-2' })]
    const end = (session: string) => lab.post(`${session}/end`, { reason: 'aborted' })
    report(overridden, ended)
    expect((await end(ended)).status).toBe(200)
    expect(lab.events.slice(-2).map(({ type }) => type)).toEqual([
      'completion.overridden',
      'session.ended',
    ])
    report(overridden, idle)
    await Promise.all([lab.server.readOverridden(), lab.server.endIdle(Date.now() + 1)])
    expect(overrides(lab)).toHaveLength(2)
    expect(fs.readdirSync(overridden)).toEqual([])
  })

  test('stays for the server that knows its session, for 7 days at most', async () => {
    const overridden = temporaryFolder()
    const reported: string[] = []
    const lab = await startLab({ overridden, onDiagnostic: ({ code }) => void reported.push(code) })
    const file = report(overridden, 'sess_other')
    const days = (count: number) => Date.now() / 1000 - count * 24 * 3600
    fs.utimesSync(file, days(6.9), days(6.9))
    await lab.server.readOverridden()
    expect(fs.existsSync(file)).toBe(true)
    fs.utimesSync(file, days(7.1), days(7.1))
    await lab.server.readOverridden()
    expect(fs.existsSync(file)).toBe(false)
    expect(reported).toEqual(['override_not_recorded'])
  })

  test('stays while it cannot be recorded', async () => {
    const overridden = temporaryFolder()
    const lab = await startLab({ overridden })
    report(overridden, await lab.open())
    lab.isDiskFull = true
    await lab.server.readOverridden()
    expect(fs.readdirSync(overridden)).toHaveLength(1)
    lab.isDiskFull = false
    await lab.server.readOverridden()
    expect(overrides(lab)).toHaveLength(1)
    expect(fs.readdirSync(overridden)).toEqual([])
  })
})

describe('an agent server', () => {
  test('refuses the id of a finished call, whatever its body', async () => {
    const lab = await startLab()
    const session = await lab.open()
    expect(await lab.post(`${session}/before-tool`, before('a', 'shell'))).toEqual(ALLOW)
    const result = { call_id: 'a', outcome: 'success' }
    const finished = await lab.post(`${session}/after-tool`, result)
    const refused = { status: 409, json: { code: 'call_finished' } }
    for (const args of [{}, { n: 1 }]) {
      const again = await lab.post(`${session}/before-tool`, before('a', 'shell', args))
      expect(again).toMatchObject(refused)
    }
    expect(await lab.post(`${session}/after-tool`, result)).toEqual(finished)
  })

  test('opens no more sessions than allowed, and again when one has ended', async () => {
    const lab = await startLab({ maxSessions: 1 })
    const session = await lab.open()
    const second = lab.opening({ session_key: 'run-2' })
    expect(await lab.post('sessions', second)).toMatchObject({
      status: 429,
      json: { code: 'sessions_full' },
    })
    expect(await lab.open()).toBe(session)
    await lab.post(`${session}/end`, { reason: 'completed' })
    expect((await lab.post('sessions', second)).status).toBe(201)
  })

  test('continues a session of an earlier process by its key, even when no other may be opened', async () => {
    const folder = temporaryFolder()
    await (await startLab({ folder })).open({ deadline_at: 1_900_000_000_000 })
    const next = await startLab({ folder, maxSessions: 1 })
    expect((await next.post('sessions', next.opening({ session_key: 'run-2' }))).status).toBe(429)
    expect((await next.post('sessions', next.opening())).status).toBe(201)
  })

  test('opens the same session for a restarted client that computes another deadline', async () => {
    const lab = await startLab()
    const session = await lab.open({ deadline_at: 1_900_000_000_000 })
    expect(await lab.open({ deadline_at: 1_900_000_000_001 })).toBe(session)
  })

  test('refuses an opening with more than 64 tags', async () => {
    const lab = await startLab()
    const tags = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`tag-${at}`, '']))
    const open = (count: number) => lab.post('sessions', lab.opening({ tags: tags(count) }))
    const refused = { status: 400, json: { errors: [{ pointer: '/tags' }] } }
    expect(await open(65)).toMatchObject(refused)
    expect((await open(64)).status).toBe(201)
  })

  test('refuses a session whose prompt its token may no longer open', async () => {
    const lab = await startLab()
    const session = await lab.open({}, SECRETS.all)
    const narrowed = http.createServer(
      lab.server.listener([{ secret: SECRETS.all, prompts: ['team/other'] }]),
    )
    onTestFinished(() => void narrowed.close())
    await new Promise<void>((resolve) => narrowed.listen(0, '127.0.0.1', resolve))
    // The server listens on TCP, so the address is never a path.
    const { port } = narrowed.address() as AddressInfo
    const headers = { authorization: `Bearer ${SECRETS.all}`, connection: 'close' }
    const answer = await fetch(`http://127.0.0.1:${port}/agent/v1/${session}`, { headers })
    expect(answer.status).toBe(404)
    expect(await answer.json()).toMatchObject({ code: 'session_unknown' })
  })

  test('refuses a body larger than 8 MiB and reads it to its end', async () => {
    const lab = await startLab()
    const session = await lab.open()
    const large = { text: 'x'.repeat(8 * 1024 * 1024) }
    expect((await lab.post(`${session}/note`, large)).status).toBe(413)
  })

  test.each([
    ['damaged', 409, 'session_broken', (text: string) => text.replace('{', '[')],
    ['without its journal', 404, 'session_unknown', (text: string) => text],
  ])(
    'refuses a session of an earlier process whose record is %s, and reports it once',
    async (...given) => {
      const [, status, code, change] = given
      const folder = temporaryFolder()
      const session = await (await startLab({ folder })).open()
      const [name = ''] = fs.readdirSync(folder)
      const file = path.join(folder, name)
      fs.writeFileSync(file, change(fs.readFileSync(file, 'utf8')))
      const next = await startLab({ folder })
      const refused = await next.post(`${session}/before-tool`, before('a', 'shell'))
      expect(refused).toMatchObject({ status, json: { code } })
      await next.server.endIdle(Date.now() + 60_000)
      expect(fs.readdirSync(folder)).toEqual([`${name}.broken`])
      expect(next.server.size).toBe(0)
    },
  )

  test('ends silent sessions as aborted', async () => {
    const lab = await startLab()
    await lab.open()
    await lab.server.endIdle(Date.now() - 60_000)
    expect(lab.server.size).toBe(1)
    await lab.server.endIdle(Date.now() + 1)
    expect(lab.server.size).toBe(0)
    expect(lab.events.at(-1)).toMatchObject({ type: 'session.ended', data: { reason: 'aborted' } })
  })

  test('answers 500 to an end that cannot be recorded, keeps the record, and ends when repeated', async () => {
    const folder = temporaryFolder()
    const lab = await startLab({ folder })
    const session = await lab.open()
    lab.isDiskFull = true
    const end = () => lab.post(`${session}/end`, { reason: 'completed' })
    expect([(await end()).status, (await end()).status]).toEqual([500, 500])
    expect(fs.readdirSync(folder)).toHaveLength(1)
    expect(lab.server.size).toBe(1)
    lab.isDiskFull = false
    expect(await end()).toEqual({ status: 200, json: {} })
    expect(fs.readdirSync(folder)).toEqual([])
    expect(lab.events.at(-1)).toMatchObject({
      type: 'session.ended',
      data: { reason: 'completed' },
    })
  })

  test('goes on with the other silent sessions when one cannot end', async () => {
    const reported: string[] = []
    const lab = await startLab({ onDiagnostic: ({ code }) => void reported.push(code) })
    const first = await lab.open()
    await lab.open({ session_key: 'run-2' })
    lab.isDiskFull = true
    await lab.server.endIdle(Date.now() + 1)
    expect(reported.filter((code) => code === 'idle_not_ended')).toHaveLength(2)
    lab.isDiskFull = false
    await lab.server.endIdle(Date.now() + 1)
    expect(lab.server.size).toBe(0)
    expect((await lab.post(`${first}/beat`, {})).status).toBe(404)
  })

  test('reports an incomplete output when the config makes it an error', async () => {
    const lab = await startLab({}, { ...RULES, final_verification: 'error' })
    const session = await lab.open()
    await lab.post(`${session}/plan`, { steps: [{ title: 'open' }] })
    const ended = await lab.post(`${session}/end`, { reason: 'completed', output: 'done' })
    expect(ended).toMatchObject({ status: 200, json: { error: expect.any(String) } })
    expect(lab.events.map(({ type }) => type)).toContain('completion.overridden')
  })

  test('allows the last stop before the own limit of the framework, and counts again after a call', async () => {
    const lab = await startLab()
    const capabilities = { ...Object(Reflect.get(lab.opening(), 'capabilities')), max_blocks: 2 }
    const session = await lab.open({ capabilities })
    await lab.post(`${session}/plan`, { steps: [{ title: 'open' }] })
    const stop = async (id: string) => {
      const { json } = await lab.post(`${session}/stop`, { attempt_id: id, via: 'turn_end' })
      return json['decision']
    }
    expect([await stop('1'), await stop('2'), await stop('3')]).toEqual(['block', 'block', 'allow'])
    await lab.post(`${session}/before-tool`, before('a', 'shell'))
    expect(await stop('4')).toBe('block')
  })
})

const POSTS = [
  'before-tool',
  'after-tool',
  'stop',
  'plan',
  'usage',
  'note',
  'beat',
  'facts',
] as const satisfies readonly AgentPost[]

const PIECES = [
  ...['{', '}', '[', ']', '"', ',', ':', '0', '-', '1e999', 'null', 'true', '', '[[[[', 'é'],
  ...['\\u0000', '\\ud800', '__proto__', '{"a":', '"call_id":"c1"', '"args":{}', '"tool":"x"'],
] as const

test('mutated bodies get no server error, and no permission that the library does not give', async () => {
  const lab = await startLab({ approvals: { decide: async () => ({ decision: 'denied' }) } })
  const session = await lab.open()
  const { pick, upTo } = dice(1)
  const bodies = {
    'before-tool': before('c1', 'write_file', { file_path: 'a', list: [1, { b: null }] }),
    'after-tool': { call_id: 'c1', outcome: 'success', output: { a: [1] }, duration_ms: 1 },
    stop: { attempt_id: 's1', via: 'turn_end', output: 'x', last_message: 'y' },
    plan: { steps: [{ title: 'a', status: 'done', id: '1' }] },
    usage: { evaluation_id: 'e', input_tokens: 1, output_tokens: 2 },
    note: { text: 'n' },
    beat: {},
    facts: { facts: [{ id: '1', value: { exists: true } }] },
  }
  let allowed = 0
  const statuses = new Set<number>()
  for (let n = 0; n < (IS_SOAK ? 100_000 : 3000); n += 1) {
    const post = pick(POSTS)
    // A new id now and then, so that calls are decided.
    let text = JSON.stringify(bodies[post]).replace('c1', `c${Math.floor(n / 7)}`)
    for (let cuts = upTo(4); cuts > 0; cuts -= 1) {
      const at = upTo(text.length)
      text = text.slice(0, at) + pick(PIECES) + text.slice(at + upTo(4))
    }
    const sent = await lab.send(null)({
      method: 'POST',
      path: `/agent/v1/${session}/${post}`,
      text,
    })
    statuses.add(sent.status)
    expect(sent.status, `${post} ${text} ${sent.body}`).toBeLessThan(500)
    if (post !== 'before-tool' || !sent.body.includes('"allow"')) continue
    allowed += 1
    expect(await libraryAllows(text), text).toBe(true)
  }
  expect(allowed).toBeGreaterThan(0)
  expect([...statuses]).toEqual(expect.arrayContaining([200, 400, 409]))
}, 1_200_000)

/** The library's verdict on a call in a session without any other call; a tool that ran cannot be part of a mutated body. */
async function libraryAllows(text: string): Promise<boolean> {
  const parsed = parseAgentBody('before-tool', text)
  if (!parsed.ok) return false
  const { tool, args, call_id: callId, agent_path: agent } = parsed.body
  const session = createGuardrails({ config: RULES }).openSession()
  const call = { tool, args, callId, ...omitUndefined({ agent }) }
  return (await session.beforeToolCall(call)).allowed
}
