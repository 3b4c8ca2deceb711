// Apart from the fold, which a browser loads without the comparison of versions.
import type { StrictnessNote } from '../kinds/base/judgment.ts'
import { type Governing, type Took, takeVersion } from './governing.ts'
import { compareStrictness } from './strictness.ts'

export interface Taken extends Took {
  /** Changes that are looser than in the previous version. Empty: none, or the version is not known. */
  readonly looser: readonly StrictnessNote[]
}

/** Change of version at this event, with its strictness; null: the version stays. `state` is the state before the event. */
export function takenWith(
  moment: Parameters<typeof takeVersion>[0],
  current: Governing,
  find: Parameters<typeof takeVersion>[2],
): Taken | null {
  const took = takeVersion(moment, current, find)
  if (took === null) return null
  const { digest, config } = took.governing
  const compared =
    digest === null ? null : compareStrictness(current.config.document, config.document)
  return { ...took, looser: compared === null || compared.stricter ? [] : compared.looser }
}
