import { type Decision, findDecision } from '../analysis/explain/find-decision.ts'
import type { CompiledConfig } from '../engine/compile.ts'
import { decidingCheck } from '../engine/decide-stop.ts'
import { step } from '../engine/step.ts'
import type { Effect } from '../model/effect.ts'
import type { SessionEvent } from '../model/event.ts'
import { getIn } from '../model/persistent-map.ts'
import { initialState } from '../model/state.ts'
import type { RanUnder } from '../tighten/governing.ts'

/** An allowed call, or a stop that passed. */
export interface Incident {
  /** In force at the decision. */
  readonly config: CompiledConfig
  /** Up to the decision. */
  readonly events: readonly SessionEvent[]
  /** Sequence number of the request or of the stop. */
  readonly seq: number
  /** Canonical name; null: a stop. */
  readonly tool: string | null
  /** null: a stop. */
  readonly callId: string | null
}

export type IncidentFault =
  | { readonly code: 'event_decides_nothing' }
  /** `rule`: policy or checker; null: the order of a person. */
  | { readonly code: 'already_refused'; readonly rule: string | null }

export type ReadIncident =
  | { readonly ok: true; readonly incident: Incident }
  | { readonly ok: false; readonly fault: IncidentFault }

/** `seq`: of a request, of a stop, of an approval, or of the record of a decision about one of them. */
export function readIncident(
  ran: RanUnder,
  events: readonly SessionEvent[],
  seq: number,
): ReadIncident {
  const decision = findDecision(ran, events, seq)
  if (decision === null) return NOTHING
  const effect = decision.effects.find(isDeciding)
  switch (effect?.kind) {
    case 'approval.requested': {
      const { call_id, rules } = effect.data
      const answer = events.find(
        ({ type, seq: at, data }) =>
          type === 'approval.decided' && data.call_id === call_id && at > decision.event.seq,
      )
      return answer === undefined ? refuse(rules[0] ?? null) : readIncident(ran, events, answer.seq)
    }
    case 'tool.decided': {
      const { decision: word, rules, tool, call_id: callId } = effect.data
      const against = rules.find(({ mode, result }) => mode === 'enforce' && result !== 'allow')
      return word === 'allowed'
        ? accept(decision, events, { tool, callId })
        : refuse(against?.rule ?? null)
    }
    case 'stop.decided': {
      const { message, check } = effect.data
      if (message === null) return accept(decision, events, { tool: null, callId: null })
      return refuse(check && decidingCheck(check).checker)
    }
    default:
      return NOTHING
  }
}

const NOTHING: ReadIncident = { ok: false, fault: { code: 'event_decides_nothing' } }

function refuse(rule: string | null): ReadIncident {
  return { ok: false, fault: { code: 'already_refused', rule } }
}

function accept(
  { config, event, before }: Decision,
  events: readonly SessionEvent[],
  subject: Pick<Incident, 'tool' | 'callId'>,
): ReadIncident {
  const head = events.filter(({ seq }) => seq <= event.seq)
  const request =
    event.type === 'approval.decided' ? getIn(before.pending, event.data.call_id)?.seq : undefined
  return {
    ok: true,
    incident: { config, events: head, seq: request ?? event.seq, ...subject },
  }
}

type Deciding = Extract<
  Effect,
  { readonly kind: 'tool.decided' | 'approval.requested' | 'stop.decided' }
>

function isDeciding(effect: Effect): effect is Deciding {
  return (
    effect.kind === 'tool.decided' ||
    effect.kind === 'approval.requested' ||
    effect.kind === 'stop.decided'
  )
}

export type Outcome = 'denied' | 'waits' | 'blocked'

/**
 * Outcome of the call or stop of the incident, folded again under a changed config; null: it is allowed, or refused only because a rule
 * could not be evaluated.
 */
export function replayIncident(
  config: CompiledConfig,
  { events, seq, callId }: Incident,
): Outcome | null {
  let state = initialState(config.promptName)
  const isAsked = events.some(
    (event) => event.type === 'approval.decided' && event.data.call_id === callId,
  )
  for (const event of events) {
    const next = step(config, state, event)
    state = next.state
    if (event.seq < seq) continue
    for (const effect of next.effects) {
      const outcome = findOutcome(effect, callId)
      // The reviewer of the incident was asked, too, and approved.
      if (outcome !== null && !(outcome === 'waits' && isAsked)) return outcome
    }
  }
  return null
}

function findOutcome(effect: Effect, callId: string | null): Outcome | null {
  switch (effect.kind) {
    case 'stop.decided':
      return callId === null && effect.data.verdict === 'blocked' ? 'blocked' : null
    case 'tool.decided':
      return effect.data.call_id === callId && effect.data.decision === 'denied' ? 'denied' : null
    case 'approval.requested':
      return effect.data.call_id === callId ? 'waits' : null
    default:
      return null
  }
}
