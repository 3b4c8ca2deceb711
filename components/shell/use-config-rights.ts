'use client'
// Rights of the signed-in user on configs in general, with the reason if one is missing. Releases check per environment (release-right.ts).
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
