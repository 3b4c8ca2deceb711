// The first version governs until `config.applied` names another. Only this file decides it, for verification and for every reader of a
// log.
import type { CompiledConfig } from '../engine/compile.ts'
import { type Step, step } from '../engine/step.ts'
import type { SessionEvent } from '../model/event.ts'
import { initialState, type SessionState } from '../model/state.ts'
import { takeOver } from './take-over.ts'

export interface Governing {
  /** null: no config, or a version that is not known here. */
  readonly digest: string | null
  readonly config: CompiledConfig
}

/** Digest that this event puts in force instead of `current`; null: the version stays. */
export function digestTakenBy(event: SessionEvent, current: string | null): string | null {
  if (event.type !== 'config.applied' || event.data.digest === current) return null
  return event.data.digest
}

/** null: the version is not known here. */
export type FindConfig = (digest: string) => CompiledConfig | null

export type RanUnder = CompiledConfig | SessionVersions

export interface SessionVersions {
  readonly began: CompiledConfig
  readonly find: FindConfig
}

/** For a single version, `find` finds no other. */
export function toSessionVersions(ranUnder: RanUnder): SessionVersions {
  return 'began' in ranUnder ? ranUnder : { began: ranUnder, find: () => null }
}

export interface Took {
  /** In force from this event on. `digest` null: the version in force is not known, and the fold continues with the old config. */
  readonly governing: Governing
  /** State before the event, in the form of the new version. */
  readonly state: SessionState
}

/** Change of version at this event; null: the version stays. `state` is the state before the event. */
export function takeVersion(
  { event, state }: { readonly event: SessionEvent; readonly state: SessionState },
  current: Governing,
  find: FindConfig,
): Took | null {
  const digest = current.digest === null ? null : digestTakenBy(event, current.digest)
  if (digest === null) return null
  const config = find(digest)
  return config === null
    ? { governing: { digest: null, config: current.config }, state }
    : { governing: { digest, config }, state: takeOver(current.config, config, state) }
}

export interface GovernedState extends Governing {
  readonly state: SessionState
}

export interface GovernedStep extends Step, Governing {
  readonly event: SessionEvent
  /** State before the event, in the form of the version that evaluates it. */
  readonly before: SessionState
}

export function governedStep(
  at: GovernedState,
  event: SessionEvent,
  find: FindConfig,
): GovernedStep {
  const taken = takeVersion({ event, state: at.state }, at, find)
  const { digest, config } = taken?.governing ?? at
  const before = taken?.state ?? at.state
  const { state, effects } = step(config, before, event)
  return { event, digest, config, before, state, effects }
}

/** Start of a fold under `began`. Absent: before the first event. */
interface FoldStart {
  readonly state: SessionState
  /** Digest of the version in force. Absent: the first event names it. */
  readonly digest?: string | null
}

/** If the session takes over a version that is not known, the previous one continues. */
export function* governedSteps(
  ranUnder: RanUnder,
  events: Iterable<SessionEvent>,
  from?: FoldStart,
): Generator<GovernedStep> {
  const { began: config, find } = toSessionVersions(ranUnder)
  const state = from?.state ?? initialState(config.promptName)
  let at: GovernedState | null =
    from?.digest === undefined ? null : { digest: from.digest, config, state }
  for (const event of events) {
    const next = governedStep(at ?? { digest: event.config ?? null, config, state }, event, find)
    yield next
    at = next
  }
}
