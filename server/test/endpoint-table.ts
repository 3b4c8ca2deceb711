// Expected access, separate from the code (specs/data-plane.md); the matrix test fails for an endpoint without a row. Tests only.
import { randomUUID } from 'node:crypto'
import { importedSessionId } from '@signalbox/wire'
import { loadCurrentBundle } from '@/server/bundles/bundles.ts'
import { ReportQuery, SessionFileQuery } from '@/server/http/console-files.ts'
import { AuditExportQuery } from '@/server/http/export-lists.ts'
import { ExportQuery } from '@/server/http/transfer.ts'
import { env } from '@/server/platform/base/env.ts'
import type { EndpointRow } from './endpoint-row.ts'
import { MANAGE_ENDPOINTS } from './manage-endpoints.ts'
import { PROJECT_ENDPOINTS } from './project-endpoints.ts'
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
  const { body: text, signature } = await loadCurrentBundle({ projectId, environment: 'dev' })
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
  ...PROJECT_ENDPOINTS,
  'GET /api/auth/[...all]': { auth: 'accounts' },
  'POST /api/auth/[...all]': { auth: 'accounts' },
  'GET /api/export/audit': {
    auth: 'login',
    needs: 'admin',
    foreign: 200,
    query: AuditExportQuery,
    input: () => ({}),
  },
  'GET /api/export/configs': { auth: 'login', foreign: 200, query: ExportQuery, input: () => ({}) },
  'GET /api/export/decisions': { auth: 'login', foreign: 200, input: () => ({}) },
  'GET /api/export/feedback': { auth: 'login', foreign: 200, input: () => ({}) },
  'GET /api/export/stops': { auth: 'login', foreign: 200, input: () => ({}) },
  'GET /api/export/sessions': { auth: 'login', foreign: 200, input: () => ({}) },
  'GET /api/export/decisions/[id]': {
    auth: 'login',
    foreign: 404,
    query: ReportQuery,
    input: ({ decisionId }) => ({ params: { id: decisionId } }),
  },
  'GET /api/export/stops/[id]': {
    auth: 'login',
    foreign: 404,
    query: ReportQuery,
    input: ({ stopId }) => ({ params: { id: stopId } }),
  },
  'GET /api/export/sessions/[id]': {
    auth: 'login',
    foreign: 404,
    query: SessionFileQuery,
    input: ({ session }) => ({ params: { id: session } }),
  },
  'GET /api/health': { auth: 'open' },
  'POST /api/import/configs': {
    auth: 'login',
    needs: 'publisher',
    foreign: 200,
    input: () => ({
      headers: { origin: env().SIGNALBOX_URL },
      body: JSON.stringify({ dry_run: false, document: EMPTY_EXPORT }),
    }),
  },
  'POST /api/import/sessions/[environment]': {
    auth: 'login',
    needs: 'editor',
    foreign: 200,
    input: () => ({
      params: { environment: 'dev' },
      headers: { origin: env().SIGNALBOX_URL },
      body: importedEvent(),
    }),
  },
  'GET /api/openapi.json': { auth: 'open' },
  'GET /docs/images/[file]': { auth: 'open' },
  'GET /livez': { auth: 'open' },
  'GET /metrics': { auth: 'monitoring' },
  'GET /open': { auth: 'open' },
  'GET /packages/[file]': { auth: 'open' },
  'GET /readyz': { auth: 'open' },
  'GET /schemas/[file]': { auth: 'open' },
  // A question that is not in the log counts as still in transit, for any owner.
  'POST /api/runtime/v1/approvals': {
    auth: 'key',
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
  'GET /api/runtime/v1/config': { auth: 'key', needs: 'read', foreign: 200 },
  'GET /api/runtime/v1/config/stream': { auth: 'key', needs: 'read', foreign: 200 },
  'POST /api/runtime/v1/events': {
    auth: 'key',
    needs: 'ingest',
    foreign: 200,
    refusal: 'foreign_session',
    input: (tenant) => ({ body: laterEvent(tenant) }),
  },
  'POST /api/runtime/v1/heartbeat': {
    auth: 'key',
    needs: 'ingest',
    foreign: 404,
    input: (tenant) => ({ body: heartbeat(tenant) }),
  },
  'POST /api/runtime/v1/heartbeats': {
    auth: 'key',
    needs: 'ingest',
    foreign: 200,
    input: (tenant) => ({ body: `{"heartbeats":[${heartbeat(tenant)}]}` }),
  },
  'GET /api/runtime/v1/keys': { auth: 'key', needs: 'read', foreign: 200 },
  'POST /api/runtime/v1/register': {
    auth: 'key',
    needs: 'ingest',
    foreign: 200,
    input: ({ runtimeId }) => ({
      body: JSON.stringify({ ...registration('taken over', 'a/b'), runtime_id: runtimeId }),
    }),
  },
  'POST /api/runtime/v1/revision': {
    auth: 'key',
    needs: 'ingest',
    foreign: 422,
    input: async (tenant) => ({ body: await servedBundle(tenant) }),
  },
  'GET /api/trpc/[trpc]': { auth: 'procedures' },
  'POST /api/trpc/[trpc]': { auth: 'procedures' },
}
