import {
  checkerDocument,
  configDocument,
  contentWithoutId,
  eventLog,
  policyWithoutId,
} from '@signalbox/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { evaluateAll, replay, unblock } from '../analysis/index.ts'
import { canKeep } from '../host/index.ts'
import {
  type CompiledConfig,
  type ConfigDocument,
  type ContentRuleDocument,
  compileConfig,
  type Effect,
  initialState,
  type PolicyDocument,
  type RuleMode,
  type SectionDocument,
  type SessionEvent,
  type SessionState,
  step,
} from '../index.ts'
import { restoreState, snapshotState } from '../snapshot/index.ts'

function compiled(document: ConfigDocument): CompiledConfig {
  const result = compileConfig(document)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.config
}

function fold(config: CompiledConfig, events: readonly SessionEvent[], from?: SessionState) {
  let state = from ?? initialState(config.promptName)
  const effects: Effect[] = []
  for (const event of events) {
    const next = step(config, state, event)
    state = next.state
    effects.push(...next.effects)
  }
  return { state, effects }
}

function allowedCalls(config: CompiledConfig, events: readonly SessionEvent[]): string[] {
  return fold(config, events).effects.flatMap((effect) =>
    effect.kind === 'tool.decided' ? [effect.data.decision] : [],
  )
}

describe('the fold', () => {
  it('the fold is deterministic and does not change its input', () => {
    fc.assert(
      fc.property(configDocument, eventLog, (document, events) => {
        const config = compiled(document)
        const frozen = JSON.stringify(events)
        const before = snapshotState(initialState(config.promptName))
        const first = fold(config, events)
        expect(fold(compiled(document), events).effects).toEqual(first.effects)
        expect(JSON.stringify(events)).toBe(frozen)
        expect(snapshotState(initialState(config.promptName))).toEqual(before)
      }),
    )
  })

  it('resumes from the JSON snapshot of any prefix with the same result', () => {
    fc.assert(
      fc.property(configDocument, eventLog, fc.nat(60), (document, events, cut) => {
        const config = compiled(document)
        const whole = fold(config, events)
        const head = fold(config, events.slice(0, cut))
        const json = JSON.parse(JSON.stringify(snapshotState(head.state)))
        const tail = fold(config, events.slice(cut), restoreState(json))
        expect([...head.effects, ...tail.effects]).toEqual(whole.effects)
        expect(snapshotState(tail.state)).toEqual(snapshotState(whole.state))
      }),
    )
  })

  it('keeps earlier states valid after later steps', () => {
    fc.assert(
      fc.property(configDocument, eventLog, (document, events) => {
        const config = compiled(document)
        const states: [SessionState, string][] = []
        let state = initialState(config.promptName)
        for (const event of events) {
          state = step(config, state, event).state
          states.push([state, JSON.stringify(snapshotState(state))])
        }
        for (const [kept, then] of states) expect(JSON.stringify(snapshotState(kept))).toBe(then)
      }),
    )
  })

  it('gives the same result as replay', () => {
    fc.assert(
      fc.property(configDocument, eventLog, (document, events) => {
        const config = compiled(document)
        const replayed = [...replay(config, events)].map(({ effect }) => effect)
        expect(replayed).toEqual(fold(config, events).effects)
      }),
    )
  })
})

describe('policies of random configs', () => {
  it('a further policy never turns a denial into an allow', () => {
    fc.assert(
      fc.property(configDocument, eventLog, policyWithoutId, (document, events, make) => {
        const fewer = compiled(document)
        const policies = [...(document.policies ?? []), make('further')]
        const more = compiled({ ...document, policies })
        let state = initialState(more.promptName)
        for (const event of events) {
          const next = step(more, state, event)
          // Both decide from one state, because two sessions would have different histories after a difference.
          if (next.effects.some(isAllowed)) {
            expect(step(fewer, state, event).effects.some(isAllowed)).toBe(true)
          }
          state = next.state
        }
      }),
    )
  })

  it('the order of policies does not change a decision', () => {
    fc.assert(
      fc.property(configDocument, eventLog, (document, events) => {
        const turned = { ...document, policies: [...(document.policies ?? [])].reverse() }
        expect(allowedCalls(compiled(turned), events)).toEqual(
          allowedCalls(compiled(document), events),
        )
      }),
    )
  })

  it('a read_before_write rule never allows a write without facts about the file', () => {
    fc.assert(
      fc.property(configDocument, eventLog, (document, events) => {
        const blind = events.map((event) =>
          event.type === 'tool.requested'
            ? { ...event, data: { ...event.data, facts: { files: {} } } }
            : event,
        )
        for (const effect of fold(compiled(document), blind).effects) {
          if (effect.kind !== 'tool.decided') continue
          const rules = effect.data.rules.filter((rule) => rule.type === 'read_before_write')
          for (const rule of rules) expect(rule.result).not.toBe('allow')
        }
      }),
    )
  })

  it('shadow and off rules never deny a call or replace a result', () => {
    fc.assert(
      fc.property(
        configDocument,
        eventLog,
        fc.constantFrom('shadow', 'off'),
        (document, events, mode) => {
          const quiet = withMode(document, mode)
          const uncontrolled = events.filter(({ type }) => type !== 'session.controlled')
          expect(new Set(allowedCalls(compiled(quiet), uncontrolled)).has('denied')).toBe(false)
          expect(new Set(allowedCalls(compiled(quiet), uncontrolled)).has('error')).toBe(false)
          for (const effect of fold(compiled(quiet), uncontrolled).effects)
            if (effect.kind === 'content.decided') expect(effect.data.verdict).toBe('passed')
        },
      ),
    )
  })
})

function isAllowed(effect: Effect): boolean {
  return effect.kind === 'tool.decided' && effect.data.decision === 'allowed'
}

function withMode(document: ConfigDocument, mode: RuleMode): ConfigDocument {
  const quiet = (policies: readonly PolicyDocument[] = []) =>
    policies.map((policy) => ({ ...policy, mode }))
  const quietContent = (content: readonly ContentRuleDocument[] = []) =>
    content.map((rule) => ({ ...rule, mode }))
  const within = (section: SectionDocument): SectionDocument => ({
    ...section,
    policies: quiet(section.policies),
    content: quietContent(section.content),
    sections: (section.sections ?? []).map(within),
  })
  return {
    ...document,
    policies: quiet(document.policies),
    content: quietContent(document.content),
    sections: (document.sections ?? []).map(within),
  }
}

describe('content rules of random configs', () => {
  it('a further content rule never turns a denial into an allow, nor a replaced result into one that is not', () => {
    fc.assert(
      fc.property(configDocument, eventLog, contentWithoutId, (document, events, make) => {
        const fewer = compiled(document)
        const more = compiled({
          ...document,
          content: [...(document.content ?? []), make('further')],
        })
        let state = initialState(more.promptName)
        for (const event of events) {
          const next = step(more, state, event)
          const before = step(fewer, state, event)
          if (next.effects.some(isAllowed)) expect(before.effects.some(isAllowed)).toBe(true)
          expect(rankResult(next.effects)).toBeGreaterThanOrEqual(rankResult(before.effects))
          state = next.state
        }
      }),
    )
  })

  it('without facts, an acting rule denies the arguments that it inspects and withholds the result', () => {
    fc.assert(
      fc.property(configDocument, eventLog, (document, events) => {
        const config = compiled(document)
        let state = initialState(config.promptName)
        for (const event of events.filter(({ type }) => type !== 'session.controlled')) {
          const blind = withoutFacts(event)
          const next = step(config, state, blind)
          const part = findActing(config, state, blind)
          if (part === 'arguments') expect(next.effects.some(isAllowed)).toBe(false)
          if (part === 'result') expect(rankResult(next.effects)).toBe(RESULT_RANKS.withheld)
          state = next.state
        }
      }),
    )
  })
})

/** Part of the call that an acting rule inspects in this event; null: none. */
function findActing(config: CompiledConfig, state: SessionState, event: SessionEvent) {
  if (event.type !== 'tool.requested' && event.type !== 'tool.invoked') return null
  if (event.type === 'tool.invoked' && event.data.outcome === 'denied') return null
  const part = event.type === 'tool.requested' ? 'arguments' : 'result'
  const rules = config.rulesFor(config.canonicalTool(event.data.tool)).content[part]
  const isActing = rules.some(
    ({ mode, document }) =>
      mode === 'enforce' && document.action !== 'warn' && canKeep(document, state.replaceable),
  )
  return isActing ? part : null
}

/** Only facts about files are there. */
function withoutFacts(event: SessionEvent): SessionEvent {
  const facts = { files: {} }
  switch (event.type) {
    case 'tool.requested':
      return { ...event, data: { ...event.data, facts } }
    case 'tool.invoked':
      return { ...event, data: { ...event.data, facts } }
    default:
      return event
  }
}

const RESULT_RANKS = { passed: 0, masked: 1, withheld: 2 } as const

function rankResult(effects: readonly Effect[]): number {
  const decided = effects.find(({ kind }) => kind === 'content.decided')
  return decided?.kind === 'content.decided' ? RESULT_RANKS[decided.data.verdict] : 0
}

describe('feedback of random configs', () => {
  it('the cadence of a provider does not depend on other providers', () => {
    fc.assert(
      fc.property(configDocument, eventLog, (document, events) => {
        const all = { ...document, feedback_exclusive: false }
        const heard = listFoldDeliveries(compiled(all), events)
        for (const provider of all.feedback_providers ?? []) {
          const alone = { ...all, feedback_providers: [provider] }
          const own = heard.filter((delivery) => delivery.provider === provider.id)
          const expected = listFoldDeliveries(compiled(alone), events).filter(
            (delivery) => delivery.provider === provider.id,
          )
          expect(own.map(withoutPointer)).toEqual(expected.map(withoutPointer))
        }
      }),
    )
  })

  it('a file trigger fires at most once a session, and never before the file exists', () => {
    fc.assert(
      fc.property(configDocument, eventLog, (document, events) => {
        const config = compiled({ ...document, feedback_exclusive: false })
        const fired = [...replay(config, events)].flatMap(({ seq, effect }) =>
          effect.kind === 'feedback.delivered' && effect.data.conditions.includes('on_file_created')
            ? [{ seq, provider: effect.data.provider }]
            : [],
        )
        expect(new Set(fired.map(({ provider }) => provider)).size).toBe(fired.length)
        for (const { seq } of fired) expect(agentsFileExists(events[seq - 1])).toBe(true)
      }),
    )
  })
})

function agentsFileExists(event: SessionEvent | undefined): boolean {
  return event?.type === 'tool.invoked' && event.data.facts?.files?.['AGENTS.md']?.exists === true
}

function listFoldDeliveries(config: CompiledConfig, events: readonly SessionEvent[]) {
  return fold(config, events).effects.flatMap((effect) =>
    effect.kind === 'feedback.delivered' ? [effect.data] : [],
  )
}

function withoutPointer<Delivery extends { readonly pointer: string }>(delivery: Delivery) {
  return { ...delivery, pointer: '' }
}

describe('completion checks of random configs', () => {
  it('every checker of the config appears in the result exactly once', () => {
    fc.assert(
      fc.property(configDocument, checkerDocument, eventLog, (document, checker, events) => {
        const config = compiled({ ...document, task_completion_checker: checker })
        const ids = JSON.stringify(checker).match(/check-\d+/g) ?? []
        for (const effect of fold(config, events).effects) {
          if (effect.kind !== 'stop.decided') continue
          const seen = JSON.stringify(effect.data.check).match(/"checker":"check-\d+"/g) ?? []
          expect(seen.length).toBe(ids.length)
        }
      }),
    )
  })

  it('blocked stops never exceed the limit', () => {
    fc.assert(
      fc.property(configDocument, eventLog, (document, events) => {
        const turns = events.filter((e) => e.type !== 'stop.attempted' || e.data.via !== 'final')
        const { effects } = fold(compiled(document), turns)
        const blocked = effects.filter(
          (e) => e.kind === 'stop.decided' && e.data.verdict === 'blocked',
        )
        expect(blocked.length).toBeLessThanOrEqual(document.limits?.max_stop_blocks ?? 10)
      }),
    )
  })

  it('unblock is empty exactly when the checks pass', () => {
    fc.assert(
      fc.property(configDocument, checkerDocument, eventLog, (document, checker, events) => {
        const config = compiled({ ...document, task_completion_checker: checker })
        let state = initialState(config.promptName)
        for (const event of events) {
          if (event.type === 'stop.attempted') {
            const passes = ['passed', 'nothing_to_check'].includes(
              evaluateAll(config, state, event)?.status ?? '',
            )
            expect(unblock(config, state, event).steps.length === 0).toBe(passes)
          }
          state = step(config, state, event).state
        }
      }),
    )
  })
})
