// The hints that a person may see: those of the project that the scope names.
import type { ProjectScope } from '../auth/scope.ts'
import type { Hint } from './hint.ts'
import { subscribe } from './live-bus.ts'

/** Without a signal (a call from the server itself) it runs until the caller stops reading. */
export function liveHints(
  scope: ProjectScope,
  signal: AbortSignal | undefined,
): AsyncGenerator<Hint> {
  return subscribe(scope.projectId, signal ?? new AbortController().signal)
}
