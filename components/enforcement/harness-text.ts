// A harness as people name it.
import type { SessionHead } from '@/server/sessions/session-head.sql.ts'

/** `claude-code 2.1.329`; "an unknown harness" before the session's beginning is stored. */
export function harnessText({ name, version }: SessionHead['harness']): string {
  if (name === undefined) return 'an unknown harness'
  return version === undefined ? name : `${name} ${version}`
}
