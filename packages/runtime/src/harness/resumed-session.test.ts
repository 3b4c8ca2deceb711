import type { ConfigDocument, SessionEvent } from '@signalbox/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { IS_SOAK } from '@/scripts/soak-sample.mjs'
import { createGuardrails, type SessionOptions } from '../index.ts'
import { PROFILE } from '../test/harness-profile.ts'
import { HarnessSession } from './harness-session.ts'

const CONFIG: ConfigDocument = {
  schema_version: 1,
  ns: 'a',
  key: 'b',
  policies: [{ id: 'order', type: 'sequential_dependency', dependencies: { deploy: ['shell'] } }],
  task_completion_checker: { id: 'plan', type: 'plan' },
  limits: { max_stop_blocks: 50 },
}

const WITH_NUMBERS: ReadonlySet<string> = new Set([
  'tool.decided',
  'stop.decided',
  'session.started',
])

class Kept {
  readonly lines: string[] = []
  readonly #guardrails = createGuardrails({ config: CONFIG, now: () => 0 })

  get deeds(): readonly unknown[] {
    const events = this.lines.map((line): SessionEvent => JSON.parse(line))
    return events.flatMap(({ type, data }) =>
      type === 'note' ? [] : [WITH_NUMBERS.has(type) ? type : { type, data }],
    )
  }

  open(): HarnessSession {
    const journal = {
      begin: () => undefined,
      take: () => undefined,
      append: (line: string) => void this.lines.push(line),
    }
    const options: SessionOptions =
      this.lines.length === 0 ? {} : { resume: { events: [...this.lines], config: CONFIG } }
    return HarnessSession.open(this.#guardrails, PROFILE, { journal, ...options })
  }
}

const agent = fc.constantFrom({}, { agent: 'helper' })
const deed = fc.oneof(
  fc.record({ kind: fc.constant('call' as const), tool: fc.constantFrom('Bash', 'deploy'), agent }),
  fc.record({ kind: fc.constant('settle' as const) }),
  fc.record({ kind: fc.constant('plan' as const), status: fc.constantFrom('open', 'done') }),
  fc.record({
    kind: fc.constant('stop' as const),
    via: fc.constantFrom('turn_end' as const, 'structured_output' as const),
    agent,
  }),
)
type Deed = typeof deed extends fc.Arbitrary<infer Value> ? Value : never

/** null: this step does not determine it. */
function isTurnOver(answer: unknown): boolean | null {
  const { turnOver, allowed } = Object(answer)
  return turnOver === true ? allowed === true : null
}

async function perform(harness: HarnessSession, todo: Deed, callId: string): Promise<unknown> {
  switch (todo.kind) {
    case 'call': {
      const call = { tool: todo.tool, input: {}, callId, ...todo.agent }
      const verdict = await harness.before(call)
      if (verdict.allowed) await harness.after({ ...call, outcome: 'success' })
      return verdict
    }
    case 'settle': {
      // The step's report names calls that were reported before.
      const told = { tool: 'Bash', input: {}, outcome: 'success' } as const
      return await harness.settle(['1', '2', '3'].map((id) => ({ ...told, callId: id })))
    }
    case 'plan':
      return await harness.session.updatePlan([{ title: 'Do', status: todo.status }])
    case 'stop': {
      const answer = await harness.stop({ via: todo.via, output: callId, ...todo.agent })
      return { ...answer, turnOver: todo.via === 'turn_end' && !('agent' in todo.agent) }
    }
    default:
      return todo satisfies never
  }
}

/** The first run offers two outputs; the second run, after the interruption, has three attempts again. */
const OUTPUT: Deed = { kind: 'stop', via: 'structured_output', agent: {} }
const NEW_RUN: Deed[] = [
  { kind: 'plan', status: 'open' },
  OUTPUT,
  OUTPUT,
  { kind: 'plan', status: 'done' },
  { kind: 'stop', via: 'turn_end', agent: {} },
  { kind: 'plan', status: 'open' },
  OUTPUT,
]

/** The user sent a prompt before the interruption, which the log does not contain. */
const SPOKEN_BEFORE: Deed[] = [
  { kind: 'stop', via: 'structured_output', agent: { agent: 'helper' } },
  { kind: 'stop', via: 'turn_end', agent: {} },
  { kind: 'settle' },
  { kind: 'stop', via: 'structured_output', agent: { agent: 'helper' } },
]

test('a resumed harness session answers and records like an uninterrupted one, wherever it was interrupted', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(deed, { maxLength: 25 }),
      fc.uniqueArray(fc.nat(25), { maxLength: 3 }),
      async (deeds, cuts) => {
        const straight = new Kept()
        const whole = straight.open()
        const kept = new Kept()
        let cut = kept.open()
        let isOver = false
        for (const [index, todo] of deeds.entries()) {
          if (cuts.includes(index)) cut = kept.open()
          // After an allowed stop the user sends a prompt, which the log does not contain.
          if (isOver) for (const each of [whole, cut]) each.runStarted()
          const expected = await perform(whole, todo, String(index))
          isOver = isTurnOver(expected) === true
          expect(await perform(cut, todo, String(index))).toEqual(expected)
        }
        const expected = await whole.end({ reason: 'completed' })
        expect((await cut.end({ reason: 'completed' }))?.message).toEqual(expected?.message)
        expect(kept.deeds).toEqual(straight.deeds)
      },
    ),
    {
      numRuns: IS_SOAK ? 150 : 60,
      examples: [
        [NEW_RUN, [5]],
        [SPOKEN_BEFORE, [3]],
      ],
    },
  )
})

describe('a structured output accepted before the interruption', () => {
  const accepted = async () => {
    const kept = new Kept()
    const before = kept.open()
    await before.session.updatePlan([{ title: 'Do', status: 'done' }])
    await before.stop({ via: 'structured_output', output: { n: 1 } })
    await before.outputAccepted({ n: 1 })
    return { kept, after: kept.open() }
  }
  const attempts = (kept: Kept) =>
    kept.lines.filter((line) => line.includes('"stop.attempted"')).length

  test('allows the next stop without another evaluation', async () => {
    const { kept, after } = await accepted()
    expect(await after.stop({ via: 'turn_end' })).toEqual({ allowed: true, message: null })
    expect(attempts(kept)).toBe(1)
  })

  test('allows no stop once the run has continued', async () => {
    const { kept, after } = await accepted()
    await after.before({ tool: 'Bash', input: {}, callId: '1' })
    const again = kept.open()
    await again.session.updatePlan([{ title: 'Do' }])
    expect(await again.stop({ via: 'turn_end' })).toMatchObject({ allowed: false })
    after.runStarted()
    expect(await after.stop({ via: 'turn_end' })).toMatchObject({ allowed: true })
    expect(attempts(kept)).toBe(3)
  })
})
