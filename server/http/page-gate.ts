// Called by the server in front of Next (scripts/serve.mjs) before Next renders a page: Next treats a page without the database as a server
// error, although the database is only unreachable.
import { isDatabaseReachable } from '@/server/platform/health.sql.ts'

/** Once a process. */
export function openPageGate(): void {
  // The cast only adds an optional property of our own name.
  const holder = globalThis as { signalboxDatabaseAnswers?: () => Promise<boolean> }
  holder.signalboxDatabaseAnswers = isDatabaseReachable
}
