'use client'
// What the reader may do with configs as a whole, and why not. Releases ask by environment (settings/release-right.ts).
import { EDITORS, PUBLISHERS, type Right, useRight } from './use-right.ts'

export interface ConfigRights {
  readonly edit: Right
  /** Also to import. */
  readonly archive: Right
}

export function useConfigRights(): ConfigRights {
  return {
    edit: useRight({ roles: EDITORS, does: 'draft.edit' }),
    archive: useRight({ roles: PUBLISHERS, does: 'release.publish' }),
  }
}
