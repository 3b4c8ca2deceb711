'use client'
// Releases check rights per environment (release-right.ts).
import { type Right, useRight } from './use-right.ts'

export interface ConfigRights {
  readonly edit: Right
  /** Also allows imports. */
  readonly archive: Right
}

export function useConfigRights(): ConfigRights {
  return {
    edit: useRight('editor'),
    archive: useRight('publisher'),
  }
}
