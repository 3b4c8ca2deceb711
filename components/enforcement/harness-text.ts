import type { SessionHead } from '@/server/sessions/session-head.sql.ts'

/** `claude-code 2.1.329`; "an unknown harness" if the session's start is not stored yet. */
export function harnessText({ name, version }: SessionHead['harness']): string {
  if (name === undefined) return 'an unknown harness'
  return version === undefined ? name : `${name} ${version}`
}
