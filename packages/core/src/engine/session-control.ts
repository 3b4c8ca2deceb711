// A person's orders decide before any rule does (specs/session-control.md).
import type { ToolDecision } from '../model/effect.ts'
import type { SessionEvent } from '../model/event.ts'
import type { SessionControl, SessionState } from '../model/state.ts'

/** An order that is not newer than the last one, or that follows an `end`, changes nothing. Sessions without a config remember orders, too. */
export function rememberOrder(
  { control }: Pick<SessionState, 'control'>,
  event: SessionEvent,
): SessionControl | null {
  if (event.type !== 'session.controlled') return control
  return isNextOrder({ control }, event.data) ? { ...event.data, seq: event.seq } : control
}

/** False: the session has taken this order or a later one, or was ended. */
export function isNextOrder(
  { control }: Pick<SessionState, 'control'>,
  { counter }: Pick<SessionControl, 'counter'>,
): boolean {
  return control === null || (control.action !== 'end' && counter > control.counter)
}

/** Order that denies every call; null: calls are decided by their rules. */
export function findHolding({ control }: Pick<SessionState, 'control'>): SessionControl | null {
  return control === null || control.action === 'resume' ? null : control
}

/** No rule is evaluated, so the record has none. */
export function refuseByOrder(
  { call_id, tool }: Pick<ToolDecision, 'call_id' | 'tool'>,
  { action, by, reason }: SessionControl,
): ToolDecision {
  const said = `${action === 'end' ? 'Ended' : 'Paused'} by ${by}: ${reason}`
  return { call_id, tool, decision: 'denied', reason: said, rules: [] }
}
