// Lets the server in front of Next (scripts/serve.mjs) check the database before Next renders a page: Next treats a page without the
// database as a server error.
import { isDatabaseReachable } from '@/server/platform/health.sql.ts'

/** Call once per process. */
export function openPageGate(): void {
  // The cast only adds an optional property of our own name.
  const holder = globalThis as { signalboxDatabaseAnswers?: () => Promise<boolean> }
  holder.signalboxDatabaseAnswers = isDatabaseReachable
}
