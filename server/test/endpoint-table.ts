// Declares who may send which input to each HTTP endpoint, separately from the code (specs/data-plane.md); the matrix test finds every
// endpoint and fails for one without a row. Tests only.
import { randomUUID } from 'node:crypto'
import { importedSessionId } from '@signalbox/wire'
import { currentBundle } from '@/server/bundles/bundles.ts'
import { ReportQuery, SessionFileQuery } from '@/server/http/console-files.ts'
import { AuditExportQuery } from '@/server/http/export-lists.ts'
import { ExportQuery } from '@/server/http/transfer.ts'
import { env } from '@/server/platform/env.ts'
import type { EndpointRow } from './endpoint-row.ts'
import { MANAGE_ENDPOINTS } from './manage-endpoints.ts'
import { registration, type Tenant } from './tenant.ts'

const heartbeat = ({ runtimeId }: Tenant): string =>
  JSON.stringify({
    runtime_id: runtimeId,
    now: Date.now(),
    applied: null,
    rejected: null,
    live_sessions: 77,
    spooled_events: 77,
  })

const laterEvent = ({ session }: Tenant): string =>
  JSON.stringify({ session, seq: 50, at: 1_795_000_000_000, type: 'note', data: { text: 'hi' } })

async function servedBundle({ project: { projectId } }: Tenant): Promise<string> {
  const { body: text, signature } = await currentBundle({ projectId, environment: 'dev' })
  return JSON.stringify({ text, signature })
}

/** A new bundle each time: a session belongs to one project. */
const importedEvent = (): string =>
  JSON.stringify({
    session: importedSessionId(randomUUID().replaceAll('-', '')),
    seq: 1,
    at: 1_795_000_000_000,
    type: 'note',
    data: { text: 'hi' },
  })

const EMPTY_EXPORT = {
  export_version: 1,
  project: 'elsewhere',
  exported_at: 1_795_000_000_000,
  environments: [],
  configs: [],
}

export const ENDPOINTS: Readonly<Record<string, EndpointRow>> = {
  ...MANAGE_ENDPOINTS,
  'GET /api/auth/[...all]': { door: 'accounts' },
  'POST /api/auth/[...all]': { door: 'accounts' },
  'GET /api/export/audit': {
    door: 'login',
    needs: 'admin',
    foreign: 200,
    query: AuditExportQuery,
    input: () => ({}),
  },
  'GET /api/export/configs': { door: 'login', foreign: 200, query: ExportQuery, input: () => ({}) },
  'GET /api/export/decisions': { door: 'login', foreign: 200, input: () => ({}) },
  'GET /api/export/feedback': { door: 'login', foreign: 200, input: () => ({}) },
  'GET /api/export/stops': { door: 'login', foreign: 200, input: () => ({}) },
  'GET /api/export/sessions': { door: 'login', foreign: 200, input: () => ({}) },
  'GET /api/export/decisions/[id]': {
    door: 'login',
    foreign: 404,
    query: ReportQuery,
    input: ({ decisionId }) => ({ params: { id: decisionId } }),
  },
  'GET /api/export/stops/[id]': {
    door: 'login',
    foreign: 404,
    query: ReportQuery,
    input: ({ stopId }) => ({ params: { id: stopId } }),
  },
  'GET /api/export/sessions/[id]': {
    door: 'login',
    foreign: 404,
    query: SessionFileQuery,
    input: ({ session }) => ({ params: { id: session } }),
  },
  'GET /api/health': { door: 'open' },
  'POST /api/import/configs': {
    door: 'login',
    needs: 'publisher',
    foreign: 200,
    input: () => ({
      headers: { origin: env().SIGNALBOX_URL },
      body: JSON.stringify({ dry_run: false, document: EMPTY_EXPORT }),
    }),
  },
  'POST /api/import/sessions/[environment]': {
    door: 'login',
    needs: 'editor',
    foreign: 200,
    input: () => ({
      params: { environment: 'dev' },
      headers: { origin: env().SIGNALBOX_URL },
      body: importedEvent(),
    }),
  },
  'GET /api/openapi.json': { door: 'open' },
  'GET /livez': { door: 'open' },
  'GET /metrics': { door: 'monitoring' },
  'GET /open': { door: 'open' },
  'GET /packages/[file]': { door: 'open' },
  'GET /readyz': { door: 'open' },
  // A question that is not in the log counts as still in transit, for any owner.
  'POST /api/runtime/v1/approvals': {
    door: 'key',
    needs: 'ingest',
    foreign: 200,
    input: ({ session }) => ({
      body: JSON.stringify({
        session,
        seq: 3,
        call_id: 'c1',
        tool: 'deploy',
        input: `sha256:${'0'.repeat(64)}`,
        time_left_ms: 0,
        hold_ms: 0,
      }),
    }),
  },
  'GET /api/runtime/v1/config': { door: 'key', needs: 'read', foreign: 200 },
  'GET /api/runtime/v1/config/stream': { door: 'key', needs: 'read', foreign: 200 },
  'POST /api/runtime/v1/events': {
    door: 'key',
    needs: 'ingest',
    foreign: 200,
    refusal: 'foreign_session',
    input: (tenant) => ({ body: laterEvent(tenant) }),
  },
  'POST /api/runtime/v1/heartbeat': {
    door: 'key',
    needs: 'ingest',
    foreign: 404,
    input: (tenant) => ({ body: heartbeat(tenant) }),
  },
  'GET /api/runtime/v1/keys': { door: 'key', needs: 'read', foreign: 200 },
  'POST /api/runtime/v1/register': {
    door: 'key',
    needs: 'ingest',
    foreign: 200,
    input: ({ runtimeId }) => ({
      body: JSON.stringify({ ...registration('taken over', 'a/b'), runtime_id: runtimeId }),
    }),
  },
  'POST /api/runtime/v1/revision': {
    door: 'key',
    needs: 'ingest',
    foreign: 422,
    input: async (tenant) => ({ body: await servedBundle(tenant) }),
  },
  'GET /api/trpc/[trpc]': { door: 'procedures' },
  'POST /api/trpc/[trpc]': { door: 'procedures' },
}
