'use client'
// Releases check rights per environment (release-right.ts).
import { EDITORS, PUBLISHERS, type Right, useRight } from './use-right.ts'

export interface ConfigRights {
  readonly edit: Right
  /** Also allows imports. */
  readonly archive: Right
}

export function useConfigRights(): ConfigRights {
  return {
    edit: useRight({ roles: EDITORS, does: 'draft.edit' }),
    archive: useRight({ roles: PUBLISHERS, does: 'release.publish' }),
  }
}
