// Which version governs an event of a session: the one that it began with, until `config.applied` names another. The one place that
// says so, for the verification of a log and every reader of one.
import type { CompiledConfig } from '../compile.ts'
import type { SessionEvent } from '../event.ts'
import type { SessionState } from '../state.ts'
import type { StrictnessNote } from './judgement.ts'
import { compareStrictness } from './strictness.ts'
import { takeOver } from './take-over.ts'

export interface Governing {
  /** null: no config, or one that is not known here. */
  readonly digest: string | null
  readonly config: CompiledConfig
}

/** The digest that this event puts in force instead of `current`; null: the version stays. */
export function digestTakenBy(event: SessionEvent, current: string | null): string | null {
  if (event.type !== 'config.applied' || event.data.digest === current) return null
  return event.data.digest
}

/** null: this version is not known here. */
export type FindConfig = (digest: string) => CompiledConfig | null

export interface Taken {
  /** From this event on. With the digest null it is not known what governs, and the old config only folds on. */
  readonly governing: Governing
  /** Before the event. */
  readonly state: SessionState
  /** What is looser than in the version before; empty: nothing, or the version is not known. */
  readonly looser: readonly StrictnessNote[]
}

/** What changes with this event; null: the version stays. `state` is the state before it. */
export function takenWith(
  { event, state }: { readonly event: SessionEvent; readonly state: SessionState },
  current: Governing,
  find: FindConfig,
): Taken | null {
  const digest = current.digest === null ? null : digestTakenBy(event, current.digest)
  if (digest === null) return null
  const config = find(digest)
  if (config === null) {
    return { governing: { digest: null, config: current.config }, state, looser: [] }
  }
  const compared = compareStrictness(current.config.document, config.document)
  return {
    governing: { digest, config },
    state: takeOver(current.config, config, state),
    looser: compared.stricter ? [] : compared.looser,
  }
}
