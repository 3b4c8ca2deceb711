// Events that a search makes.
import type { CompiledConfig } from '../engine/compile.ts'
import type { Step } from '../engine/step.ts'
import { step } from '../engine/step.ts'
import type { ToolDecision } from '../model/effect.ts'
import type { EventBody, SessionEvent } from '../model/event.ts'
import { initialState, type SessionState } from '../model/state.ts'

/** An event, `waitMs` after the one before. */
export interface Move {
  readonly body: EventBody
  readonly waitMs: number
}

/** `lanes`: one state for each config that is compared. */
export interface Moment {
  readonly lanes: readonly SessionState[]
  readonly seq: number
  /** Epoch ms. */
  readonly at: number
}

export interface Played extends Moment {
  /** Effects of the last move, one list for each config. */
  readonly effects: readonly Step['effects'][]
}

/** A transition between two states. */
export interface Edge {
  readonly from: number
  readonly to: number
  /** Tool of a call that ran, or STOPPED. null: neither. */
  readonly ran: string | null
}

export const STOPPED = 'stop passed'

export const START_AT = 1000

export function begin(configs: readonly CompiledConfig[]): Moment {
  return { lanes: configs.map(({ promptName }) => initialState(promptName)), seq: 0, at: START_AT }
}

export function play(
  configs: readonly CompiledConfig[],
  from: Moment,
  moves: readonly Move[],
): Played {
  return moves.reduce<Played>(
    (before, move) => {
      const event = toEvent(move, before)
      const steps = configs.map((config, i) =>
        step(config, before.lanes[i] ?? initialState(config.promptName), event),
      )
      return {
        lanes: steps.map(({ state }) => state),
        seq: event.seq,
        at: event.at,
        effects: steps.map(({ effects }) => effects),
      }
    },
    { ...from, effects: [] },
  )
}

export function toEvent({ body, waitMs }: Move, { seq, at }: Omit<Moment, 'lanes'>): SessionEvent {
  // The body and the envelope of one type make an event of this type.
  return { ...body, session: 'sess_proof', seq: seq + 1, at: at + waitMs } as SessionEvent
}

export function toEvents(moves: readonly Move[]): readonly SessionEvent[] {
  let place = { seq: 0, at: START_AT }
  return moves.map((move) => {
    const event = toEvent(move, place)
    place = event
    return event
  })
}

/** null: the call waits for a reviewer. */
export function findDecision(effects: Step['effects'] | undefined): ToolDecision | null {
  const decided = effects?.find((effect) => effect.kind === 'tool.decided')
  return decided?.kind === 'tool.decided' ? decided.data : null
}

/** Ids of the rules that ask a reviewer about the call. */
export function findAsking(effects: Step['effects'] | undefined): readonly string[] {
  const asked = effects?.find((effect) => effect.kind === 'approval.requested')
  return asked?.kind === 'approval.requested' ? asked.data.rules : []
}

export function findVerdict(effects: Step['effects']): string {
  const decided = effects.find((effect) => effect.kind === 'stop.decided')
  return decided?.kind === 'stop.decided' ? decided.data.verdict : ''
}

export function isPassed(verdict: string | undefined): boolean {
  return verdict === 'allowed' || verdict === 'no_checker'
}
