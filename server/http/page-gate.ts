// What the server in front of Next (scripts/serve.mjs) asks before it lets Next render a page: a page without the database is an error
// of the server in Next's eyes, and it is only away.
import { isDatabaseReachable } from '@/server/platform/health.ts'

/** Once a process. */
export function openPageGate(): void {
  // The cast only adds an optional property of our own name.
  const holder = globalThis as { signalboxDatabaseAnswers?: () => Promise<boolean> }
  holder.signalboxDatabaseAnswers = isDatabaseReachable
}
