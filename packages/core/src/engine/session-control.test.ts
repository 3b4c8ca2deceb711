import { configDocument, eventLog } from '@signalbox/testkit'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { explain, listEventFacts, summarizeEvent, viewState } from '../analysis/index.ts'
import {
  type CompiledConfig,
  type ConfigDocument,
  compileConfig,
  type Effect,
  initialState,
  type SessionControlled,
  type SessionEvent,
  step,
} from '../index.ts'
import { restoreState, snapshotState } from '../snapshot/index.ts'

function compiled(document: ConfigDocument): CompiledConfig {
  const result = compileConfig(document)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.config
}

/** Effects of the events after an order that follows `events`, where no order came before. */
function effectsAfter(
  config: CompiledConfig,
  {
    before,
    after,
  }: { readonly before: readonly SessionEvent[]; readonly after: readonly SessionEvent[] },
  action: SessionControlled['action'],
): readonly Effect[] {
  let state = initialState(config.promptName)
  for (const event of before) state = step(config, state, event).state
  const at = { session: 'sess_any', seq: state.seq + 1, at: state.at }
  const data = { action, by: 'Mira', reason: 'It loops.', counter: 9 }
  state = step(config, state, { ...at, type: 'session.controlled', data }).state
  return after.flatMap((event) => {
    const next = step(config, state, { ...event, seq: event.seq + 1 })
    state = next.state
    return next.effects
  })
}

const uncontrolled = eventLog.map((log) => log.filter(({ type }) => type !== 'session.controlled'))

it('no call of any session is allowed or asked about after a pause or an end, and each is denied with the order', () => {
  fc.assert(
    fc.property(
      configDocument,
      fc.tuple(uncontrolled, fc.nat(60)),
      fc.constantFrom<'pause' | 'end'>('pause', 'end'),
      (document, [log, cut], action) => {
        const parts = { before: log.slice(0, cut), after: log.slice(cut) }
        const said = `${action === 'end' ? 'Ended' : 'Paused'} by Mira: It loops.`
        for (const effect of effectsAfter(compiled(document), parts, action)) {
          expect(effect.kind).not.toBe('approval.requested')
          if (effect.kind !== 'tool.decided') continue
          expect(effect.data).toMatchObject({ decision: 'denied', reason: said, rules: [] })
        }
      },
    ),
  )
})

it('every stop of any session is bypassed after an end, and a pause changes no verdict of a stop', () => {
  fc.assert(
    fc.property(configDocument, uncontrolled, fc.nat(60), (document, log, cut) => {
      const config = compiled(document)
      const parts = { before: log.slice(0, cut), after: log.slice(cut) }
      for (const effect of effectsAfter(config, parts, 'end')) {
        if (effect.kind !== 'stop.decided') continue
        expect(effect.data).toMatchObject({ verdict: 'bypassed', bypass: 'ended' })
      }
      const stops = parts.after.filter(({ type }) => type === 'stop.attempted')
      const onlyStops = { before: parts.before, after: stops }
      expect(effectsAfter(config, onlyStops, 'pause')).toEqual(
        effectsAfter(config, onlyStops, 'resume'),
      )
    }),
  )
})

const order = (seq: number, data: SessionControlled): SessionEvent => ({
  ...{ session: 'sess_one', seq, at: seq * 1000 },
  type: 'session.controlled',
  data,
})
const PAUSE = order(1, { action: 'pause', by: 'Mira', reason: 'It loops.', counter: 1 })
const CALL: SessionEvent = {
  ...{ session: 'sess_one', seq: 2, at: 2000 },
  type: 'tool.requested',
  data: { call_id: 'c1', tool: 'deploy', args: {} },
}
const STOP: SessionEvent = {
  ...{ session: 'sess_one', seq: 4, at: 4000 },
  type: 'stop.attempted',
  data: { via: 'turn_end' },
}
const END = order(3, { action: 'end', by: 'Ana', reason: 'Enough.', counter: 2 })
const CONFIG = compiled({ schema_version: 1, ns: 'a', key: 'b' })

it('explanations of a held call and of a stop after an end name the order as their cause', () => {
  const events = [PAUSE, CALL, END, STOP]
  expect(explain(CONFIG, events, 2)).toMatchObject({
    decision: 'denied',
    sentence: 'Paused by Mira: It loops',
    causes: [{ seq: 1, role: 'order', type: 'session.controlled' }],
  })
  expect(explain(CONFIG, events, 4)).toMatchObject({
    verdict: 'bypassed',
    sentence: 'Allowed without checks: Ana ended the session (Enough.)',
    causes: [{ seq: 3, role: 'order' }],
  })
})

it('the state at any event names the order in force, also when it is stored and restored', () => {
  const { state } = step(CONFIG, initialState(CONFIG.promptName), PAUSE)
  const control = { action: 'pause', by: 'Mira', reason: 'It loops.', counter: 1, seq: 1 }
  expect(viewState(CONFIG, state).control).toEqual(control)
  expect(restoreState(snapshotState(state))).toEqual(state)
})

it('an order is summarized by its name and reason', () => {
  expect(summarizeEvent(PAUSE)).toMatchObject({ verdict: 'pause', summary: 'Mira · It loops.' })
  expect(listEventFacts(END)?.map(({ name }) => name)).toEqual([
    ...['Order', 'By', 'Reason', 'Order number'],
  ])
})
