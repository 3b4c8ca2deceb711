import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type ConfigDocument, compileConfig, type SessionEvent } from '@signalbox/core'
import { verifySession } from '@signalbox/core/analysis'
import { RULES, STRICTER } from '@signalbox/testkit'
import { eventHash } from '@signalbox/wire'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { IS_SOAK } from '@/scripts/soak-sample.mjs'
import {
  type ApprovalSource,
  createGuardrails,
  type GuardedSession,
  type Guardrails,
  type RecordedSession,
  type SessionJournal,
} from '../index.ts'

class Memory implements SessionJournal {
  config: ConfigDocument | null = null
  lines: string[] = []
  taken: ConfigDocument[] = []

  begin(config: ConfigDocument | null): void {
    this.config = config
  }

  take(config: ConfigDocument): void {
    this.taken.push(config)
  }

  append(line: string): void {
    this.lines.push(line)
  }

  upTo(count: number): RecordedSession {
    return { events: this.lines.slice(0, count), config: this.config, taken: this.taken }
  }

  get whole(): RecordedSession {
    return this.upTo(this.lines.length)
  }
}

function guardrails(config: ConfigDocument = RULES, approvals?: ApprovalSource): Guardrails {
  let clock = 0
  return createGuardrails({
    config,
    now: () => ++clock * 1000,
    ...(approvals === undefined ? {} : { approvals }),
  })
}

const files = { lookUp: async () => ({ exists: true, fingerprint: 'f' }) as const }

function open(journal: SessionJournal, resume?: RecordedSession): GuardedSession {
  return guardrails().openSession({ files, journal, ...(resume === undefined ? {} : { resume }) })
}

const parseResumeEvents = (lines: readonly string[]): SessionEvent[] =>
  lines.map((line) => JSON.parse(line))

function verified(lines: readonly string[], config: ConfigDocument = RULES) {
  const compiled = compileConfig(config, {})
  if (!compiled.ok) throw new Error('The config of this test is not valid.')
  return verifySession(compiled.config, parseResumeEvents(lines))
}

type Deed =
  | { readonly kind: 'ask' | 'tell'; readonly tool: string; readonly n: number }
  | { readonly kind: 'plan'; readonly done: boolean }
  | { readonly kind: 'stop' }

const deed: fc.Arbitrary<Deed> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('ask' as const, 'tell' as const),
    tool: fc.constantFrom('test', 'deploy', 'lint', 'read_file', 'write_file'),
    n: fc.nat(1),
  }),
  fc.record({ kind: fc.constant('plan' as const), done: fc.boolean() }),
  fc.constant({ kind: 'stop' as const }),
)

async function perform(session: GuardedSession, todo: Deed): Promise<unknown> {
  switch (todo.kind) {
    case 'plan':
      await session.updatePlan([{ title: 'Do', status: todo.done ? 'done' : 'open' }])
      return null
    case 'stop': {
      const { allowed, message } = await session.beforeStop({ via: 'turn_end' })
      return { allowed, message }
    }
    default: {
      // Redaction must not prevent pairing a result with its request.
      const args = { path: `${todo.n}.txt`, password: 'hunter2' }
      if (todo.kind === 'tell')
        return await session.afterToolCall({ tool: todo.tool, args, outcome: 'success' })
      const { allowed, reason, feedback } = await session.beforeToolCall({ tool: todo.tool, args })
      return { allowed, reason, feedback }
    }
  }
}

describe('a resumed session', () => {
  test('answers calls, results and stops like an uninterrupted one, wherever it was interrupted', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(deed, { maxLength: 30 }), fc.nat(30), async (deeds, cut) => {
        const whole = open(new Memory())
        const expected = []
        for (const each of deeds) expected.push(await perform(whole, each))

        const journal = new Memory()
        let session = open(journal)
        const given = []
        for (const [index, each] of deeds.entries()) {
          if (index === cut) session = open(journal, journal.whole)
          given.push(await perform(session, each))
        }
        expect(given).toEqual(expected)
        expect(verified(journal.lines).status).toBe('verified')
      }),
      { numRuns: IS_SOAK ? 60 : 30 },
    )
  })

  test('leaves a log that verifies, wherever it was killed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(deed, { maxLength: 15 }), fc.nat(), async (deeds, pick) => {
        const journal = new Memory()
        const session = open(journal)
        for (const each of deeds) await perform(session, each)
        const kept = 1 + (pick % journal.lines.length)

        const after = new Memory()
        const resumed = open(after, journal.upTo(kept))
        for (const each of deeds) await perform(resumed, each)
        await resumed.end({ reason: 'completed' })
        const log = [...journal.lines.slice(0, kept), ...after.lines]
        expect(verified(log).status).toBe('verified')
        const events = parseResumeEvents(log)
        expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
        for (const [index, event] of events.entries()) {
          const before = events[index - 1]
          expect(event.prev).toBe(before === undefined ? undefined : eventHash(before))
        }
      }),
      { numRuns: IS_SOAK ? 60 : 30 },
    )
  })

  test('keeps its id, its clock and its config when another config is in force', async () => {
    const journal = new Memory()
    const first = open(journal)
    await first.beforeToolCall({ tool: 'test', args: {}, callId: 'a' })
    await first.afterToolCall({ tool: 'test', args: {}, callId: 'a', outcome: 'success' })
    const later = guardrails(STRICTER).openSession({ journal, resume: journal.whole })
    expect(later.id).toBe(first.id)
    expect((await later.beforeToolCall({ tool: 'deploy', args: {} })).allowed).toBe(true)
    const times = parseResumeEvents(journal.lines).map(({ at }) => at)
    expect(times).toEqual([...times].sort((a, b) => a - b))
  })

  test('pairs a result without a call id with the earlier call, despite redacted arguments', async () => {
    const journal = new Memory()
    const call = { tool: 'test', args: { password: 'hunter2', file: 'a' } }
    const { callId } = await open(journal).beforeToolCall(call)
    const resumed = open(journal, journal.whole)
    const next = await resumed.beforeToolCall({ tool: 'lint', args: {} })
    expect(next.callId).not.toBe(callId)
    await resumed.afterToolCall({ ...call, outcome: 'success' })
    expect((await resumed.beforeToolCall({ tool: 'deploy', args: {} })).allowed).toBe(true)
  })

  test('denies calls that were undecided at the interruption, and records their end', async () => {
    const journal = new Memory()
    const session = open(journal)
    await session.beforeToolCall({ tool: 'lint', args: {}, callId: 'a' })
    const asked =
      parseResumeEvents(journal.lines).findIndex(({ type }) => type === 'tool.requested') + 1
    const after = new Memory()
    const resumed = open(after, journal.upTo(asked))
    expect(parseResumeEvents(after.lines).map(({ type }) => type)).toEqual([
      'note',
      'tool.decided',
      'tool.invoked',
    ])
    expect(parseResumeEvents(after.lines).at(-1)?.data).toMatchObject({
      call_id: 'a',
      outcome: 'denied',
    })
    expect((await resumed.beforeToolCall({ tool: 'lint', args: {}, callId: 'a' })).allowed).toBe(
      true,
    )
  })

  test('denies a call that waited for approval, and requests no approval for it again', async () => {
    const config: ConfigDocument = {
      schema_version: 1,
      ns: 'a',
      key: 'b',
      policies: [{ id: 'ask', type: 'approval', tools: ['deploy'], timeout_seconds: 60 }],
    }
    const journal = new Memory()
    const silent = { decide: () => new Promise<never>(() => undefined) }
    const session = guardrails(config, silent).openSession({ journal })
    void session.beforeToolCall({ tool: 'deploy', args: {}, callId: 'a' })
    await session.note('A later request.')
    const approved = { decide: async () => ({ decision: 'approved' as const }) }
    const again = { journal, resume: journal.whole }
    const resumed = guardrails(config, approved).openSession(again)
    expect(parseResumeEvents(journal.lines).slice(-4)).toMatchObject([
      { type: 'note' },
      { type: 'approval.decided', data: { call_id: 'a', decision: 'unavailable' } },
      { type: 'tool.decided', data: { call_id: 'a', decision: 'error' } },
      { type: 'tool.invoked', data: { call_id: 'a', outcome: 'denied' } },
    ])
    expect((await resumed.beforeToolCall({ tool: 'deploy', args: {} })).allowed).toBe(true)
    expect(verified(journal.lines, config).status).toBe('verified')
  })

  test('a resumed session can be resumed repeatedly, but not after its end', async () => {
    const journal = new Memory()
    open(journal)
    for (let times = 0; times < 3; times++) {
      const session = open(journal, journal.whole)
      await session.beforeToolCall({ tool: 'test', args: {}, callId: `c${times}` })
    }
    await open(journal, journal.whole).end({ reason: 'aborted' })
    expect(() => open(journal, journal.whole)).toThrow('The session has ended')
  })

  test('that began without a config continues without one and denies calls', async () => {
    const journal = new Memory()
    const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-resume-'))
    const online = createGuardrails({
      url: 'http://127.0.0.1:1',
      apiKey: 'sbx_none',
      prompt: 'team/bots/writer',
      dataDir,
      fetch: () => Promise.reject(new Error('offline')),
    })
    const first = online.openSession({ journal })
    expect((await first.beforeStop({ via: 'turn_end' })).decision.attempt).toBe(1)
    const resumed = online.openSession({ journal, resume: journal.whole })
    expect((await resumed.beforeStop({ via: 'turn_end' })).decision.attempt).toBe(2)
    expect(journal.config).toBeNull()
    expect((await resumed.beforeToolCall({ tool: 'test', args: {} })).allowed).toBe(false)
    await online.close(0)
    fs.rmSync(dataDir, { recursive: true, force: true })
  })
})

describe('the journal of a session', () => {
  test('the journal of a session is written before each answer: a failed write denies the call, and no line is written twice', async () => {
    const journal = new Memory()
    const recorded: string[] = []
    const config = RULES
    const session = createGuardrails({
      config,
      onEvent: (line) => void recorded.push(line),
    }).openSession({ journal })
    const { append } = journal
    journal.append = () => {
      throw new Error('The disk is full.')
    }
    expect((await session.beforeToolCall({ tool: 'test', args: {} })).allowed).toBe(false)
    journal.append = append
    expect((await session.beforeToolCall({ tool: 'test', args: {} })).allowed).toBe(true)
    expect(recorded).toEqual(journal.lines)
  })

  test('the journal of a session may have a line that was recorded nowhere else, which a line with the same number replaces', async () => {
    const journal = new Memory()
    let isFull = false
    const recorded: string[] = []
    const one = createGuardrails({
      config: RULES,
      onEvent: (line) => {
        if (isFull) throw new Error('The spool is full.')
        recorded.push(line)
      },
    })
    const session = one.openSession({ journal })
    isFull = true
    await session.beforeToolCall({ tool: 'test', args: {}, callId: 'refused' })
    isFull = false
    await session.beforeToolCall({ tool: 'lint', args: {}, callId: 'allowed' })
    expect(journal.lines.length).toBe(recorded.length + 1)
    const sizeBefore = recorded.length
    one.openSession({ journal, resume: journal.whole })
    // The last line is recorded again, because the process may have been killed before it was recorded.
    expect(recorded[sizeBefore]).toBe(recorded[sizeBefore - 1])
    expect(verified(recorded.toSpliced(sizeBefore, 1)).status).toBe('verified')
  })

  test.each(['again', 'no more'])(
    'provides its last line, recorded nowhere else, when the resumed session keeps a journal %s',
    async (kept) => {
      const journal = new Memory()
      const recorded: string[] = []
      const one = createGuardrails({ config: RULES, onEvent: (line) => void recorded.push(line) })
      const session = one.openSession({ journal })
      await session.beforeToolCall({ tool: 'test', args: {}, callId: 'a' })
      const last = recorded.pop()
      const sizeBefore = recorded.length
      one.openSession({ ...(kept === 'again' ? { journal } : {}), resume: journal.whole })
      expect(recorded[sizeBefore]).toBe(last)
      expect(verified(recorded).status).toBe('verified')
    },
  )
})

describe('resuming a session is refused for a log', () => {
  async function logged(): Promise<Memory> {
    const journal = new Memory()
    const session = open(journal)
    await session.beforeToolCall({ tool: 'test', args: {}, callId: 'a' })
    return journal
  }
  const changed = (line: string, change: object) =>
    JSON.stringify({ ...JSON.parse(line), ...change })

  test.each<[string, (lines: string[]) => string[], RegExp]>([
    ['that is empty', () => [], /line 1: A log begins with session.started/],
    ['that has no beginning', (lines) => lines.slice(1), /line 1: Event 1 is missing/],
    ['with a gap', (lines) => lines.toSpliced(1, 1), /line 2: Event 2 is missing; this is event 3/],
    ['in another order', ([a = '', b = '', c = '']) => [a, c, b], /line 2/],
    [
      'with a changed event',
      (lines) => lines.with(2, changed(lines[2] ?? '', { at: 1 })),
      /line 4: The event does not contain the hash/,
    ],
    [
      'of two sessions',
      (lines) => lines.with(3, changed(lines[3] ?? '', { session: 'sess_other' })),
      /line 4: This event belongs to another session/,
    ],
    [
      'of two configs',
      (lines) => lines.with(3, changed(lines[3] ?? '', { config: `sha256:${'0'.repeat(64)}` })),
      /line 4: This event belongs to another config version/,
    ],
    ['that is not JSON', (lines) => lines.with(1, '{"seq":'), /line 2: The line is not JSON/],
    [
      'with an event of a later version',
      (lines) => lines.with(1, changed(lines[1] ?? '', { type: 'dream.had' })),
      /line 2: This version does not know the event type "dream.had"/,
    ],
  ])('%s', async (_, change, message) => {
    const journal = await logged()
    const resume = { config: journal.config, events: change(journal.lines) }
    expect(() => open(new Memory(), resume)).toThrow(message)
    expect(() => open(new Memory(), resume)).toThrow(
      expect.objectContaining({ code: 'resume_invalid' }),
    )
  })

  test('resuming a session is refused for a log of another prompt', async () => {
    const resume = (await logged()).whole
    const other = guardrails({ ...RULES, key: 'reader' })
    expect(() => other.openSession({ resume })).toThrow(
      'The session belongs to "team/bots/writer", not to "team/bots/reader"',
    )
  })

  test('refuses to resume a session that began with another config', async () => {
    const { events } = (await logged()).whole
    for (const config of [STRICTER, null]) {
      expect(() => guardrails().openSession({ resume: { events, config } })).toThrow(
        'line 1: The given config is not the one that the session started with',
      )
    }
  })

  test('that began with code for other custom rules', async () => {
    const resume = (await logged()).whole
    const custom = {
      policies: {
        'acme/freeze': { answer: async () => ({ kind: 'policy' as const, allow: true }) },
      },
    }
    const other = createGuardrails({ config: RULES, custom })
    expect(() => other.openSession({ resume })).toThrow(
      'The session had code for the rule types (none), but now there is code for acme/freeze',
    )
  })
})
