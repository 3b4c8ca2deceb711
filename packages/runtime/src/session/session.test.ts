import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type ConfigDocument, compileConfig, type SessionEvent } from '@signalbox/core'
import { replay } from '@signalbox/core/analysis'
import { RULES } from '@signalbox/testkit'
import { eventHash, parseEventLine } from '@signalbox/wire'
import { afterEach, describe, expect, test } from 'vitest'
import type { Diagnostic, SessionOptions } from '../index.ts'
import { createGuardrails } from '../index.ts'

const folders: string[] = []

function workspace(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-session-'))
  folders.push(folder)
  return folder
}

afterEach(() => {
  for (const folder of folders.splice(0)) fs.rmSync(folder, { recursive: true, force: true })
})

function opened(options: SessionOptions = {}, failing: { write?: boolean } = {}) {
  const lines: string[] = []
  const diagnostics: Diagnostic[] = []
  const session = createGuardrails({
    config: RULES,
    onEvent: (line) => {
      if (failing.write === true) throw new Error('no space left')
      lines.push(line)
    },
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
  }).openSession(options)
  const events = (): SessionEvent[] => lines.map((line) => JSON.parse(line))
  return { session, events, diagnostics, lines }
}

const types = (events: readonly SessionEvent[]): string[] => events.map(({ type }) => type)

test('a heartbeat that throws changes no decision', async () => {
  const beat = () => {
    throw new Error('the queue is gone')
  }
  const { session, diagnostics } = opened({ heartbeat: { beat } })
  const verdict = await session.beforeToolCall({ tool: 'test', args: {}, callId: 'a' })
  expect(verdict.allowed).toBe(true)
  expect(diagnostics).toMatchObject([{ code: 'beat_failed', message: 'the queue is gone' }])
})

test('an observer that throws receives every event and changes no decision', async () => {
  const seen: string[] = []
  const { session, diagnostics } = opened({
    onEvent: (line) => {
      seen.push(JSON.parse(line).type)
      throw new Error('the screen is gone')
    },
  })
  const verdict = await session.beforeToolCall({ tool: 'test', args: {}, callId: 'a' })
  expect(verdict.allowed).toBe(true)
  expect(seen).toEqual(['session.started', 'config.applied', 'tool.requested', 'tool.decided'])
  expect(diagnostics[0]).toMatchObject({ code: 'event_not_shown', message: 'the screen is gone' })
})

test('an incomplete output throws at the end, after it is recorded, when final_verification is "error"', async () => {
  const lines: string[] = []
  const session = createGuardrails({
    config: { ...RULES, final_verification: 'error' },
    onEvent: (line) => void lines.push(line),
  }).openSession()
  await session.updatePlan([{ title: 'Write', status: 'pending' }])
  const ended = session.end({ reason: 'completed', output: 'Done!' })
  await expect(ended).rejects.toMatchObject({ name: 'PromptEvaluationError', phase: 'response' })
  await expect(ended).rejects.toThrow('You have 1 incomplete task(s) out of 1.')
  const recorded = lines.map((line): SessionEvent => JSON.parse(line))
  expect(types(recorded).slice(-3)).toEqual([
    'stop.decided',
    'completion.overridden',
    'session.ended',
  ])
})

describe('tool calls of a session', () => {
  test('a denied call is recorded as requested, decided and invoked with outcome denied', async () => {
    const { session, events } = opened()
    const verdict = await session.beforeToolCall({ tool: 'deploy', args: {}, callId: 'a' })
    expect(verdict).toMatchObject({ allowed: false, reason: "Tool 'deploy' requires: test" })
    expect(types(events())).toEqual([
      'session.started',
      'config.applied',
      'tool.requested',
      'tool.decided',
      'tool.invoked',
    ])
    expect(events().at(-1)?.data).toMatchObject({ call_id: 'a', outcome: 'denied' })
  })

  test('only a success satisfies a prerequisite', async () => {
    const { session } = opened()
    for (const outcome of ['failure', 'unknown', 'invalid'] as const) {
      await session.beforeToolCall({ tool: 'test', args: {}, callId: outcome })
      await session.afterToolCall({ tool: 'test', args: {}, callId: outcome, outcome })
      expect((await session.beforeToolCall({ tool: 'deploy', args: {} })).allowed).toBe(false)
    }
    await session.beforeToolCall({ tool: 'test', args: {}, callId: 'ok' })
    await session.afterToolCall({ tool: 'test', args: {}, callId: 'ok', outcome: 'success' })
    expect((await session.beforeToolCall({ tool: 'deploy', args: {} })).allowed).toBe(true)
  })

  test('a result without a call id belongs to the oldest request of the same tool and arguments', async () => {
    const { session, events } = opened()
    const call = { tool: 'lint', args: { b: 1, a: 2 } }
    const first = await session.beforeToolCall(call)
    const second = await session.beforeToolCall(call)
    await session.afterToolCall({ tool: 'lint', args: { a: 2, b: 1 }, outcome: 'success' })
    await session.afterToolCall({ tool: 'lint', args: { a: 2, b: 1 }, outcome: 'failure' })
    const results = events().filter((event) => event.type === 'tool.invoked')
    expect(results.map(({ data }) => [data.call_id, data.outcome])).toEqual([
      [first.callId, 'success'],
      [second.callId, 'failure'],
    ])
  })

  test('feedback is absent from a result when no provider triggers, and part of a denial', async () => {
    const { session } = opened()
    await session.beforeToolCall({ tool: 'lint', args: {}, callId: '1' })
    const none = await session.afterToolCall({
      tool: 'lint',
      args: {},
      callId: '1',
      outcome: 'success',
    })
    expect(none.feedback).toBeNull()
    const denied = await session.beforeToolCall({ tool: 'deploy', args: {}, callId: '2' })
    expect(denied.feedback).toBe(
      "<feedback provider='Static'>\nKeep it &lt;short&gt;.\n</feedback>",
    )
  })

  test('calls of one session are decided sequentially', async () => {
    const { session, events } = opened()
    await Promise.all(
      ['a', 'b', 'c'].map((callId) => session.beforeToolCall({ tool: 'lint', args: {}, callId })),
    )
    expect(types(events()).slice(2)).toEqual([
      'tool.requested',
      'tool.decided',
      'tool.requested',
      'tool.decided',
      'tool.requested',
      'tool.decided',
    ])
  })

  test('a session denies calls after its end', async () => {
    const { session } = opened()
    await session.end({ reason: 'aborted' })
    const verdict = await session.beforeToolCall({ tool: 'lint', args: {} })
    expect(verdict).toMatchObject({ allowed: false, reason: 'The session has ended.' })
  })
})

describe('files of a session', () => {
  test('files of a session must be read before they are overwritten, and again after they change', async () => {
    const root = workspace()
    fs.writeFileSync(path.join(root, 'a.txt'), 'one')
    const { session } = opened({ workspaceRoot: root })
    const write = () =>
      session.beforeToolCall({ tool: 'Write', args: { path: path.join(root, './a.txt') } })
    const read = async () => {
      await session.beforeToolCall({ tool: 'read_file', args: { path: 'a.txt' } })
      await session.afterToolCall({
        tool: 'read_file',
        args: { path: 'a.txt' },
        outcome: 'success',
      })
    }
    expect((await write()).allowed).toBe(false)
    await read()
    expect((await write()).allowed).toBe(true)
    fs.writeFileSync(path.join(root, 'a.txt'), 'two')
    expect((await write()).reason).toContain('changed since it was read')
  })

  test.each([
    ['a link that leads outside', 'link.txt'],
    ['a new file below a linked folder', 'linked/new.txt'],
    ['a path that leaves by ".."', '../out.txt'],
  ])('cannot be written outside the workspace: %s', async (_, file) => {
    const root = workspace()
    const outside = workspace()
    fs.writeFileSync(path.join(outside, 'secret.txt'), 'x')
    fs.symlinkSync(path.join(outside, 'secret.txt'), path.join(root, 'link.txt'))
    fs.symlinkSync(outside, path.join(root, 'linked'))
    const { session } = opened({ workspaceRoot: root })
    const verdict = await session.beforeToolCall({ tool: 'write_file', args: { path: file } })
    expect(verdict.allowed).toBe(false)
  })

  test('files of a session are unknown when a look-up throws, which denies the call and is reported', async () => {
    const files = { lookUp: () => Promise.reject(new Error('disk gone')) }
    const { session, diagnostics } = opened({ files })
    const verdict = await session.beforeToolCall({ tool: 'write_file', args: { path: 'a.txt' } })
    expect(verdict).toMatchObject({ allowed: false, decision: { decision: 'error' } })
    expect(diagnostics.map(({ code }) => code)).toEqual(['file_not_looked_up'])
  })

  test('files of a session cannot be written by a path that is too long to record', async () => {
    const root = workspace()
    fs.writeFileSync(path.join(root, 'a.txt'), 'one')
    const { session } = opened({ workspaceRoot: root })
    const args = { path: `${'./'.repeat(20_000)}a.txt` }
    expect((await session.beforeToolCall({ tool: 'write_file', args })).allowed).toBe(false)
  })

  test('files of a session cannot be written by a path hidden behind thousands of arguments', async () => {
    const { session } = opened({ workspaceRoot: workspace() })
    const many = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`k${i}`, i]))
    const verdict = await session.beforeToolCall({
      tool: 'write_file',
      args: { ...many, path: 'a.txt' },
    })
    expect(verdict.allowed).toBe(false)
  })
})

describe('failures of a session', () => {
  test('deny the call when an event cannot be written', async () => {
    const failing = { write: false }
    const { session, diagnostics } = opened({}, failing)
    failing.write = true
    const verdict = await session.beforeToolCall({ tool: 'lint', args: {} })
    expect(verdict.allowed).toBe(false)
    expect(diagnostics.at(-1)).toMatchObject({ code: 'call_not_decided', message: 'no space left' })
  })

  test("deny until the session's start can be written", async () => {
    const failing = { write: true }
    const { session, events } = opened({}, failing)
    expect((await session.beforeToolCall({ tool: 'lint', args: {} })).allowed).toBe(false)
    failing.write = false
    expect((await session.beforeToolCall({ tool: 'lint', args: {} })).allowed).toBe(true)
    expect(types(events())[0]).toBe('session.started')
    expect(events().map(({ seq }) => seq)).toEqual([1, 2, 3, 4])
  })

  test('block stops that cannot be decided ten times in a row, then allow the next and record that', async () => {
    const failing = { write: false }
    const { session, events } = opened({}, failing)
    failing.write = true
    const verdicts: string[] = []
    for (let stop = 0; stop < 12; stop++) {
      verdicts.push((await session.beforeStop({ via: 'turn_end' })).decision.verdict)
    }
    expect(verdicts).toEqual([...Array(10).fill('error'), 'bypassed', 'bypassed'])
    failing.write = false
    expect((await session.beforeStop({ via: 'turn_end' })).decision.verdict).toBe('allowed')
    const notes = events().filter(({ type }) => type === 'note')
    expect(notes.map(({ data }) => data)).toEqual(
      Array(2).fill({ text: expect.stringContaining('allowed although nothing could be checked') }),
    )
    failing.write = true
    expect((await session.beforeStop({ via: 'turn_end' })).decision.verdict).toBe('error')
  })

  test.each([
    ['a tool name with control characters', { tool: 'li\nnt', args: {} }],
    ['an empty tool name', { tool: '', args: {} }],
    ['a call id of 400 characters', { tool: 'lint', args: {}, callId: 'x'.repeat(400) }],
    [
      'arguments that throw when read',
      {
        tool: 'lint',
        args: {
          get bad() {
            throw new Error('trap')
          },
        },
      },
    ],
  ])('deny only the call with %s', async (_, call) => {
    const { session } = opened()
    expect((await session.beforeToolCall(call)).allowed).toBe(false)
    expect((await session.beforeToolCall({ tool: 'lint', args: {} })).allowed).toBe(true)
  })

  test('block a stop that cannot be recorded, and allow it after ten blocks', async () => {
    const failing = { write: false }
    const { session } = opened({}, failing)
    failing.write = true
    const answers: boolean[] = []
    for (let i = 0; i < 11; i++)
      answers.push((await session.beforeStop({ via: 'turn_end' })).allowed)
    expect(answers).toEqual([...Array(10).fill(false), true])
  })

  test('deny the call even when onDiagnostic throws', async () => {
    const session = createGuardrails({
      config: RULES,
      onEvent: () => {
        throw new Error('full')
      },
      onDiagnostic: () => {
        throw new Error('logger broke')
      },
    }).openSession()
    expect((await session.beforeToolCall({ tool: 'lint', args: {} })).allowed).toBe(false)
  })
})

describe('events of a session', () => {
  test('events of a session have secrets and customer data redacted before they are created', async () => {
    const { session, lines } = opened()
    await session.beforeToolCall({
      tool: 'lint',
      args: { apiKey: 'k-1', nested: { Access_Token: 't-1', customer: 'Jane' }, note: 'for ACME' },
    })
    const text = lines.join('\n')
    for (const secret of ['k-1', 't-1', 'Jane', 'ACME']) expect(text).not.toContain(secret)
    expect(text).toContain('{"apiKey":{"$redacted":"builtin.secrets"}')
    expect(text).toContain('"customer":{"$redacted":"customers"}')
  })

  test('records events that the server accepts, for any tool result', async () => {
    const { session, lines } = opened()
    const cyclic: Record<string, unknown> = { one: 1 }
    cyclic['self'] = [cyclic, cyclic]
    const outputs: unknown[] = [
      'x'.repeat(5_000_000),
      '\u0000'.repeat(16_000),
      Array.from({ length: 2000 }, () => 'y'.repeat(16_000)),
      cyclic,
      Number.NaN,
      undefined,
      new Map([['a', 1]]),
    ]
    for (const [i, output] of outputs.entries()) {
      await session.beforeToolCall({ tool: 'lint', args: {}, callId: `c${i}` })
      await session.afterToolCall({
        tool: 'lint',
        args: {},
        callId: `c${i}`,
        outcome: 'success',
        output,
      })
    }
    expect(lines.filter((line) => line.includes('"tool.invoked"'))).toHaveLength(outputs.length)
    for (const line of lines) expect(parseEventLine(line)).toMatchObject({ ok: true, known: true })
  })

  test('events of a session are numbered without gaps and chained by hash', async () => {
    const { session, events } = opened({ deadlineAt: Date.now() + 60_000 })
    await session.beforeToolCall({ tool: 'deploy', args: {} })
    await session.updatePlan([{ title: 'one', status: 'done' }])
    await session.recordUsage({ evaluation_id: 'e', input_tokens: 1, output_tokens: 2 })
    await session.beforeStop({ via: 'turn_end', lastMessage: 'done' })
    await session.end({ reason: 'completed', output: 'fine' })
    const log = events()
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, i) => i + 1))
    expect(log.map(({ prev }) => prev)).toEqual([
      undefined,
      ...log.slice(0, -1).map((event) => eventHash(event)),
    ])
  })

  test('replay to the recorded decisions, byte for byte', async () => {
    const root = workspace()
    fs.writeFileSync(path.join(root, 'a.txt'), 'one')
    const { session, events } = opened({ workspaceRoot: root })
    for (const tool of ['deploy', 'write_file', 'read_file', 'write_file', 'test', 'deploy']) {
      const call = { tool, args: { path: 'a.txt' } }
      if ((await session.beforeToolCall(call)).allowed)
        await session.afterToolCall({ ...call, outcome: 'success' })
    }
    await session.updatePlan([{ title: 'one', status: 'pending' }])
    await session.beforeStop({ via: 'turn_end' })
    const compiled = compileConfig(RULES)
    if (!compiled.ok) throw new Error('RULES must compile')
    const recomputed = [...replay(compiled.config, events())].map(({ effect }) => effect)
    const decisions = (kind: string) =>
      events().flatMap((event) => (event.type === kind ? [JSON.stringify(event.data)] : []))
    for (const kind of ['tool.decided', 'stop.decided'] as const) {
      const again = recomputed.flatMap((effect) =>
        effect.kind === kind ? [JSON.stringify(effect.data)] : [],
      )
      expect(again).toEqual(decisions(kind))
      expect(again.length).toBeGreaterThan(0)
    }
  })
})

describe('stops of a session', () => {
  test('stops of a session are blocked by an open plan, and allowed by a completed plan', async () => {
    const { session } = opened()
    await session.updatePlan([{ title: 'write', status: 'done' }, { title: 'publish' }])
    const blocked = await session.beforeStop({ via: 'turn_end' })
    expect(blocked).toMatchObject({ allowed: false, decision: { verdict: 'blocked' } })
    expect(blocked.message).toContain('You have 1 incomplete task(s) out of 2.')
    await session.updatePlan([{ title: 'write', status: 'done' }])
    expect((await session.beforeStop({ via: 'turn_end' })).allowed).toBe(true)
  })

  test('stops of a session are verified again at the end of a completed run, and an incomplete output is recorded and reported', async () => {
    const { session, events, diagnostics } = opened()
    await session.updatePlan([{ title: 'write' }])
    const verification = await session.end({ reason: 'completed', output: 'half of it' })
    expect(verification).toMatchObject({ allowed: false, decision: { verdict: 'blocked' } })
    expect(types(events()).slice(-4)).toEqual([
      'stop.attempted',
      'stop.decided',
      'completion.overridden',
      'session.ended',
    ])
    expect(diagnostics.map(({ code }) => code)).toEqual(['completion_overridden'])
  })

  test('stops of a session are not verified for a failed run', async () => {
    const { session, events } = opened()
    await session.updatePlan([{ title: 'write' }])
    expect(await session.end({ reason: 'failed', error: 'boom' })).toBeNull()
    expect(types(events()).at(-1)).toBe('session.ended')
    expect(types(events())).not.toContain('stop.attempted')
  })
})

const FILES: ConfigDocument = {
  schema_version: 1,
  ns: 'any',
  key: 'prompt',
  policies: [
    { id: 'files', type: 'read_before_write', read_tools: ['read'], write_tools: ['write'] },
  ],
}

test('a write whose path leaves a link by ".." is denied, and one that leaves a folder is allowed', async () => {
  const root = workspace()
  const elsewhere = workspace()
  fs.symlinkSync(elsewhere, path.join(root, 'out'))
  fs.mkdirSync(path.join(root, 'folder'))
  const lines: string[] = []
  const session = createGuardrails({
    config: FILES,
    onEvent: (line) => void lines.push(line),
  }).openSession({ workspaceRoot: root })
  const write = (args: unknown) => session.beforeToolCall({ tool: 'write', args })
  const denied = await write({ path: 'out/../victim.txt' })
  expect(denied).toMatchObject({
    allowed: false,
    reason:
      "Path 'out/../victim.txt' leaves a folder by '..' that is a link or could not be checked. Give the path without '..'.",
  })
  expect(await write({ path: 'folder/../victim.txt' })).toMatchObject({ allowed: true })
  expect(await write('{"path":"victim.txt"}')).toMatchObject({
    allowed: false,
    reason: "The arguments of this call are not an object, so rule 'files' could not be evaluated.",
  })
  const facts = lines
    .map((line): SessionEvent => JSON.parse(line))
    .flatMap((event) => (event.type === 'tool.requested' ? [event.data.facts?.links ?? null] : []))
  expect(facts).toEqual([{ out: true }, { folder: false }, null])
})

test('reading a missing file does not allow overwriting it later', async () => {
  const root = workspace()
  const session = createGuardrails({
    config: FILES,
  }).openSession({ workspaceRoot: root })
  const args = { path: 'later.txt' }
  await session.beforeToolCall({ tool: 'read', args, callId: 'r' })
  await session.afterToolCall({ tool: 'read', args, callId: 'r', outcome: 'success' })
  fs.writeFileSync(path.join(root, 'later.txt'), 'by a person')
  expect(await session.beforeToolCall({ tool: 'write', args })).toMatchObject({
    allowed: false,
    reason: "File 'later.txt' must be read before overwriting.",
  })
})
