// The adapter would read the body of a Web response as a stream, which takes a fifth of the time of a heartbeat.
import type { ServerResponse } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'

/** null: the caller of the app is Next or a test, and reads the Web response. */
export function nodeResponse({ env }: Context): ServerResponse | null {
  // The caller of the app provides this environment: scripts/serve.mjs that of the adapter, Next none. The adapter's type allows HTTP/2,
  // which the server does not speak.
  const { outgoing } = (env ?? {}) as Partial<HttpBindings>
  return (outgoing as ServerResponse | undefined) ?? null
}
