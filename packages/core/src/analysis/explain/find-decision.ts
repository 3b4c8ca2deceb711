import type { CompiledConfig } from '../../engine/compile.ts'
import type { Effect } from '../../model/effect.ts'
import type { EventOf, SessionEvent } from '../../model/event.ts'
import type { SessionState } from '../../model/state.ts'
import { governedSteps, type RanUnder } from '../../tighten/governing.ts'
import { decisionKey, recordedEffect } from '../base/decision-record.ts'

export type DecidingEvent = EventOf<
  'tool.requested' | 'approval.decided' | 'tool.invoked' | 'stop.attempted'
>

export interface Decision {
  readonly event: DecidingEvent
  readonly config: CompiledConfig
  readonly before: SessionState
  readonly after: SessionState
  readonly effects: readonly Effect[]
}

function isDeciding(event: SessionEvent): event is DecidingEvent {
  return (
    event.type === 'tool.requested' ||
    event.type === 'approval.decided' ||
    event.type === 'tool.invoked' ||
    event.type === 'stop.attempted'
  )
}

/** null: the event neither leads to nor records a decision, or the log does not contain it. */
export function findDecision(
  ranUnder: RanUnder,
  events: Iterable<SessionEvent>,
  seq: number,
): Decision | null {
  const unrecorded = new Map<string, Decision>()
  for (const { event, decision } of walkDecisions(governedSteps(ranUnder, events))) {
    if (event.seq > seq) return null
    const recorded = takeRecorded(unrecorded, event)
    if (event.seq === seq) return recorded ?? decision
    if (decision !== null) keep(unrecorded, decision)
  }
  return null
}

function keep(unrecorded: Map<string, Decision>, decision: Decision): void {
  for (const effect of decision.effects) {
    const key = decisionKey(effect)
    if (key !== null) unrecorded.set(key, decision)
  }
}

function takeRecorded(unrecorded: Map<string, Decision>, event: SessionEvent): Decision | null {
  const effect = recordedEffect(event)
  const key = effect === null ? null : decisionKey(effect)
  const decision = key === null ? undefined : unrecorded.get(key)
  if (key !== null) unrecorded.delete(key)
  return decision ?? null
}

function* walkDecisions(
  steps: ReturnType<typeof governedSteps>,
): Generator<{ readonly event: SessionEvent; readonly decision: Decision | null }> {
  for (const { event, config, before, state: after, effects } of steps) {
    yield { event, decision: isDeciding(event) ? { event, config, before, after, effects } : null }
  }
}
