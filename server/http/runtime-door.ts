// The routes of the data plane, for the server in front of Next (scripts/serve.mjs, decision 47). `next dev` finds the same handlers in
// app/api/runtime; a test compares the two.
import { postApprovals } from './await-answer.ts'
import { getConfigStream } from './config-stream.ts'
import { getConfig } from './get-config.ts'
import { getKeys } from './get-keys.ts'
import { postHeartbeat } from './heartbeat.ts'
import { postEvents } from './ingest-events.ts'
import { postRegister } from './register.ts'
import { postRevision } from './surpass-revision.ts'

type RuntimeRoutes = Readonly<Record<string, (request: Request) => Promise<Response>>>

/** By method and path. */
export const RUNTIME_ROUTES: RuntimeRoutes = {
  'GET /api/runtime/v1/config': getConfig,
  'GET /api/runtime/v1/config/stream': getConfigStream,
  'GET /api/runtime/v1/keys': getKeys,
  'POST /api/runtime/v1/approvals': postApprovals,
  'POST /api/runtime/v1/events': postEvents,
  'POST /api/runtime/v1/heartbeat': postHeartbeat,
  'POST /api/runtime/v1/register': postRegister,
  'POST /api/runtime/v1/revision': postRevision,
}

/** Once a process: what Next has bundled is handed to the server that started Next. */
export function openRuntimeDoor(): void {
  // The cast only adds an optional property of our own name.
  const holder = globalThis as { signalboxRuntimeRoutes?: RuntimeRoutes }
  holder.signalboxRuntimeRoutes = RUNTIME_ROUTES
}
