// Who may send what to each HTTP endpoint, as a claim apart from the code (specs/data-plane.md); the matrix test finds the
// endpoints in app/api and fails for one without a row. Tests only.
import type { KeyScopeName } from '../auth/scope.ts'
import { registration, type Tenant } from './tenant.ts'

/** Takes an API key with the scope `needs`, and answers for the key's own project and environment. */
export interface KeyRow {
  readonly door: 'key'
  readonly needs: KeyScopeName
  /** Status when the body names rows of another project or environment. */
  readonly foreign: 200 | 404
  /** Then also in the answer: how each line was refused. */
  readonly refusal?: string
  readonly body?: (tenant: Tenant) => string
}

export type EndpointRow =
  | KeyRow
  /** Takes a login of any role; another project's row is not found. `path`: what stands for the address's parameter. */
  | { readonly door: 'login'; readonly parameter: (tenant: Tenant) => string }
  | { readonly door: 'open' }
  /** Held to by server/test/access-table.ts. */
  | { readonly door: 'procedures' }
  /** better-auth's own endpoints, held to by server/auth/accounts.db.test.ts. */
  | { readonly door: 'accounts' }

const heartbeat = ({ runtimeId }: Tenant): string =>
  JSON.stringify({
    ...{ runtime_id: runtimeId, now: Date.now(), applied: null, rejected: null },
    ...{ live_sessions: 77, spooled_events: 77 },
  })

const laterEvent = ({ session }: Tenant): string =>
  JSON.stringify({ session, seq: 50, at: 1_795_000_000_000, type: 'note', data: { text: 'hi' } })

export const ENDPOINTS: Readonly<Record<string, EndpointRow>> = {
  'GET /api/auth/[...all]': { door: 'accounts' },
  'POST /api/auth/[...all]': { door: 'accounts' },
  'GET /api/export/sessions/[id]': { door: 'login', parameter: ({ session }) => session },
  'GET /api/health': { door: 'open' },
  'GET /api/runtime/v1/config': { door: 'key', needs: 'read', foreign: 200 },
  'GET /api/runtime/v1/config/stream': { door: 'key', needs: 'read', foreign: 200 },
  'POST /api/runtime/v1/events': {
    ...{ door: 'key', needs: 'ingest', foreign: 200, refusal: 'foreign_session' },
    body: laterEvent,
  },
  'POST /api/runtime/v1/heartbeat': {
    ...{ door: 'key', needs: 'ingest', foreign: 404 },
    body: heartbeat,
  },
  'POST /api/runtime/v1/register': {
    ...{ door: 'key', needs: 'ingest', foreign: 200 },
    body: ({ runtimeId }) =>
      JSON.stringify({ ...registration('taken over', 'a/b'), runtime_id: runtimeId }),
  },
  'GET /api/trpc/[trpc]': { door: 'procedures' },
  'POST /api/trpc/[trpc]': { door: 'procedures' },
}
