import {
  CUSTOM_TYPES,
  eventLog,
  extendedConfigDocument,
  extendedPolicyWithoutId,
  TOOLS,
} from '@signalbox/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { replay } from '../analysis/index.ts'
import { celExpressions, expressionRules } from '../expression/index.ts'
import {
  type CompiledConfig,
  type CompileOptions,
  type ConfigDocument,
  compileConfig,
  type Effect,
  type ExpressionRules,
  initialState,
  type PolicyDocument,
  type RuleAnswer,
  type SessionEvent,
  step,
} from '../index.ts'
import type { ApprovalDocument } from '../kinds/policies/approval.ts'
import type { RateLimitDocument } from '../kinds/policies/rate-limit.ts'
import { snapshotState } from '../snapshot/index.ts'

const options: CompileOptions = { expressions: celExpressions(), customTypes: CUSTOM_TYPES }

function compiled(document: ConfigDocument, given = options): CompiledConfig {
  const result = compileConfig(document, given)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.config
}

/** The same log with this answer for every custom rule; null: no answer. */
function answered(events: readonly SessionEvent[], answer: RuleAnswer | null): SessionEvent[] {
  const ids = Array.from({ length: 4 }, (_, i) => [`policy-${i}`, `section-policy-${i}`]).flat()
  const answers = answer === null ? {} : Object.fromEntries(ids.map((id) => [id, answer]))
  return events.map((event) =>
    event.type === 'tool.requested'
      ? { ...event, data: { ...event.data, facts: { ...event.data.facts, answers } } }
      : event,
  )
}

function listRuleResults(config: CompiledConfig, events: readonly SessionEvent[], type: string) {
  return [...replay(config, events)].flatMap(({ effect }) =>
    effect.kind === 'tool.decided' ? effect.data.rules.filter((rule) => rule.type === type) : [],
  )
}

function brokenEngine(evaluate: () => unknown): ExpressionRules {
  return expressionRules({
    checkPattern: () => null,
    compile: () => ({ ok: true, program: { evaluate } }),
  })
}

describe('a rule without a result', () => {
  const nonsense = fc.constantFrom<RuleAnswer | null>(
    null,
    { kind: 'error', error: 'It threw.' },
    { kind: 'unavailable' },
    { kind: 'feedback', advice: null },
    { kind: 'check', complete: true },
  )

  it('a custom rule without a usable answer never allows', () => {
    fc.assert(
      fc.property(extendedConfigDocument, eventLog, nonsense, (document, events, answer) => {
        const results = listRuleResults(
          compiled(document),
          answered(events, answer),
          CUSTOM_TYPES[1],
        )
        for (const { result, reason_class } of results) {
          expect([result, reason_class]).toEqual(['error', 'could_not_evaluate'])
        }
      }),
    )
  })

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('no')
      },
    ],
    ['gives text instead of a boolean', () => 'true'],
    ['gives nothing', () => undefined],
  ])('a condition whose evaluation %s never allows', (_, evaluate) => {
    const broken = { ...options, expressions: brokenEngine(evaluate) }
    fc.assert(
      fc.property(extendedConfigDocument, eventLog, (document, events) => {
        const results = listRuleResults(compiled(document, broken), events, 'expression')
        for (const { result } of results) expect(result).toBe('error')
      }),
    )
  })
})

it('a further policy of any type never turns a denial into an allow', () => {
  fc.assert(
    fc.property(
      extendedConfigDocument,
      eventLog,
      extendedPolicyWithoutId,
      (document, events, make) => {
        const fewer = compiled(document)
        const more = compiled({
          ...document,
          policies: [...(document.policies ?? []), make('further')],
        })
        let state = initialState(more.promptName)
        for (const event of events) {
          const next = step(more, state, event)
          if (next.effects.some(isAllowed)) {
            expect(step(fewer, state, event).effects.some(isAllowed)).toBe(true)
          }
          state = next.state
        }
      },
    ),
  )
})

function isAllowed(effect: Effect): boolean {
  return effect.kind === 'tool.decided' && effect.data.decision === 'allowed'
}

it('two sessions never influence each other', () => {
  fc.assert(
    fc.property(
      extendedConfigDocument,
      fc.tuple(eventLog, eventLog),
      fc.infiniteStream(fc.boolean()),
      (document, [one, other], turns) => {
        const config = compiled(document)
        const lanes = [one, other].map((log) => ({ log, state: initialState(config.promptName) }))
        const places = [0, 0]
        const heard: Effect[][] = [[], []]
        while (places.some((place, i) => place < (lanes[i]?.log.length ?? 0))) {
          const i = turns.next().value ? 0 : 1
          const lane = lanes[i]
          const event = lane?.log[places[i] ?? 0]
          if (lane === undefined || event === undefined) continue
          const next = step(config, lane.state, event)
          lane.state = next.state
          heard[i]?.push(...next.effects)
          places[i] = (places[i] ?? 0) + 1
        }
        for (const [i, log] of [one, other].entries()) {
          const alone = compiled(document)
          expect(heard[i]).toEqual([...replay(alone, log)].map(({ effect }) => effect))
          expect(snapshotState(lanes[i]!.state)).toEqual(snapshotState(stateAfter(alone, log)))
        }
      },
    ),
    { numRuns: 60 },
  )
})

function stateAfter(config: CompiledConfig, events: readonly SessionEvent[]) {
  return events.reduce(
    (state, event) => step(config, state, event).state,
    initialState(config.promptName),
  )
}

function allowedCalls(config: CompiledConfig, events: readonly SessionEvent[]) {
  const requested = new Map<string, number>()
  return events.flatMap((event, i) => {
    if (event.type === 'tool.requested') requested.set(event.data.call_id, event.at)
    const before = stateAfter(config, events.slice(0, i))
    return step(config, before, event).effects.flatMap((effect) =>
      effect.kind === 'tool.decided' && effect.data.decision === 'allowed'
        ? [{ event, tool: effect.data.tool, requestedAt: requested.get(effect.data.call_id) ?? 0 }]
        : [],
    )
  })
}

function beside<Rule extends PolicyDocument>(rules: fc.Arbitrary<Rule>) {
  return fc.record({ rule: rules, other: extendedPolicyWithoutId }).map(({ rule, other }) => {
    const document: ConfigDocument = {
      schema_version: 1,
      ns: 'a',
      key: 'b',
      aliases: { Write: 'write_file' },
      policies: [rule, other('other')],
    }
    return { rule, document }
  })
}

const approval = fc.integer({ min: 1, max: 60 }).map(
  (timeout_seconds): ApprovalDocument => ({
    id: 'ask',
    type: 'approval',
    tools: TOOLS,
    timeout_seconds,
  }),
)

const requestsAndAnswers: fc.Arbitrary<readonly SessionEvent[]> = fc
  .array(
    fc.record({
      call_id: fc.constantFrom('c1', 'c2'),
      tool: fc.constantFrom(...TOOLS),
      decision: fc.constantFrom('approved', 'approved', 'denied', 'timed_out', 'unavailable'),
      asks: fc.boolean(),
      later: fc.nat(30_000),
    }),
    { maxLength: 30, size: 'max' },
  )
  .map((bodies) => {
    let at = 1_700_000_000_000
    return bodies.map(({ call_id, tool, decision, asks, later }, i): SessionEvent => {
      at += later
      const head = { session: 'sess_any', seq: i + 1, at }
      return asks
        ? { ...head, type: 'tool.requested', data: { call_id, tool, args: {} } }
        : { ...head, type: 'approval.decided', data: { call_id, decision } }
    })
  })

it('a call that needs approval is never allowed without one in time', () => {
  let seen = 0
  fc.assert(
    fc.property(beside(approval), requestsAndAnswers, ({ rule, document }, events) => {
      for (const { event, requestedAt } of allowedCalls(compiled(document), events)) {
        seen += 1
        expect(event).toMatchObject({ type: 'approval.decided', data: { decision: 'approved' } })
        expect(event.at - requestedAt).toBeLessThanOrEqual(rule.timeout_seconds * 1000)
      }
    }),
    { numRuns: 300 },
  )
  expect(seen).toBeGreaterThan(20)
})

const rateLimit = fc
  .record({
    max_calls: fc.integer({ min: 1, max: 3 }),
    per_seconds: fc.integer({ min: 1, max: 90 }),
  })
  .map((fields): RateLimitDocument => ({ id: 'rate', type: 'rate_limit', tools: TOOLS, ...fields }))

it('a rate limit never allows more calls than its maximum in any window', () => {
  let full = 0
  fc.assert(
    fc.property(beside(rateLimit), eventLog, ({ rule, document }, events) => {
      const times = allowedCalls(compiled(document), events).map(({ event }) => event.at)
      for (const [i, from] of times.entries()) {
        const within = times.slice(i).filter((at) => at < from + rule.per_seconds * 1000)
        expect(within.length).toBeLessThanOrEqual(rule.max_calls)
        if (within.length === rule.max_calls) full += 1
      }
    }),
    { numRuns: 200 },
  )
  expect(full).toBeGreaterThan(20)
})
