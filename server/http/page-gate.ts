// Next treats a page without the database as a server error, so scripts/serve.mjs checks the database before Next renders one.
import { isDatabaseReachable } from '@/server/platform/health.sql.ts'

/** Call once per process. */
export function openPageGate(): void {
  // The cast only adds an optional property of our own name.
  const holder = globalThis as { signalboxDatabaseAnswers?: () => Promise<boolean> }
  holder.signalboxDatabaseAnswers = isDatabaseReachable
}
