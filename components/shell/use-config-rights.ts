'use client'
// Rights of the reader for configs as a whole, with the reason when one is missing. Releases check by environment
// (release-right.ts).
import { EDITORS, PUBLISHERS, type Right, useRight } from './use-right.ts'

export interface ConfigRights {
  readonly edit: Right
  /** Also covers imports. */
  readonly archive: Right
}

export function useConfigRights(): ConfigRights {
  return {
    edit: useRight({ roles: EDITORS, does: 'draft.edit' }),
    archive: useRight({ roles: PUBLISHERS, does: 'release.publish' }),
  }
}
