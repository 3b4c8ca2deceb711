// Expected access, separate from the code. A key reads its whole project, and releases to its own environment only. Tests only.
import { promptPath } from '@signalbox/wire'
import {
  anAuditEntry,
  controllableSession,
  delivered,
  dismissed,
  firingAlert,
  freshCase,
  freshClaim,
  freshConfig,
  freshQuestion,
  learning,
  prevention,
  runOfKey,
  staged,
  twoVersions,
  unpublished,
  waitingCall,
} from './access-table.ts'
import type { EndpointRow, KeyInput } from './endpoint-row.ts'
import { configText, type Tenant } from './tenant.ts'

interface Prompt {
  readonly ns: string
  readonly key: string
}

function toRouteParams({ ns, key }: Prompt) {
  const [path = ''] = promptPath(ns, key).split('/')
  return { ns: path, key }
}

const named = ({ prompt }: Tenant): KeyInput => ({ params: toRouteParams(prompt) })

const json = (prompt: Prompt, body: object): KeyInput => ({
  params: toRouteParams(prompt),
  body: JSON.stringify(body),
})

const withRule = ({ params, ...rest }: KeyInput, id: string): KeyInput => ({
  ...rest,
  params: { ...params, id },
})

async function seenDraft(tenant: Tenant, body: object): Promise<KeyInput> {
  const { prompt, draftId, revision } = await freshConfig(tenant)
  return { ...json(prompt, body), headers: { 'if-match': `"${draftId}.${revision}"` } }
}

async function move(tenant: Tenant, body: object): Promise<KeyInput> {
  const { ns, key } = await twoVersions(tenant)
  return json({ ns, key }, body)
}

let made = 0

const read = { auth: 'key', needs: 'read', sibling: 200 } as const
const records = { auth: 'key', needs: 'sessions:read' } as const
const audit = { auth: 'key', needs: 'audit:read', sibling: 200 } as const
const write = { auth: 'key', needs: 'publish' } as const
const ROOT = '/api/manage/v1'
const CONFIG = `${ROOT}/configs/[ns]/[key]`

export const MANAGE_ENDPOINTS: Readonly<Record<string, EndpointRow>> = {
  [`GET ${ROOT}/configs`]: { ...read, foreign: 200 },
  [`POST ${ROOT}/configs`]: {
    ...write,
    passes: 201,
    foreign: 201,
    sibling: 201,
    input: () => ({ body: JSON.stringify({ ns: 'made', key: `by-key-${++made}` }) }),
  },
  [`GET ${CONFIG}`]: { ...read, foreign: 404, input: named },
  [`PATCH ${CONFIG}`]: {
    ...write,
    foreign: 404,
    sibling: 200,
    input: async (tenant) => json(await unpublished(tenant), { archived: true }),
  },
  [`GET ${CONFIG}/draft`]: { ...write, foreign: 404, sibling: 200, input: named },
  [`PUT ${CONFIG}/draft`]: {
    ...write,
    foreign: 404,
    sibling: 200,
    input: (tenant) => seenDraft(tenant, { text: 'not mine' }),
  },
  [`GET ${CONFIG}/versions`]: { ...read, foreign: 404, input: named },
  [`GET ${CONFIG}/versions/[number]`]: {
    ...read,
    foreign: 404,
    input: ({ prompt }) => ({ params: { ...toRouteParams(prompt), number: '1' } }),
  },
  [`GET ${CONFIG}/inheritance`]: { ...read, foreign: 404, input: named },
  [`GET ${ROOT}/mandatory-base`]: { ...read, foreign: 200 },
  [`POST ${CONFIG}/diff`]: {
    ...read,
    foreign: 404,
    input: ({ prompt }) => json(prompt, { from: { environment: 'dev' }, to: { version: 1 } }),
  },
  [`POST ${ROOT}/lint`]: {
    ...read,
    foreign: 200,
    input: () => ({ body: JSON.stringify({ text: configText({ ns: 'a', key: 'b' }, 'c') }) }),
  },
  [`POST ${CONFIG}/publish`]: {
    ...write,
    passes: 201,
    foreign: 404,
    sibling: 403,
    stranger: 403,
    input: (tenant) => seenDraft(tenant, { environment: 'dev', note: 'not mine' }),
  },
  [`POST ${CONFIG}/promote`]: {
    ...write,
    passes: 201,
    foreign: 404,
    sibling: 403,
    input: (tenant) => move(tenant, { to: 'dev', version: 1 }),
  },
  [`POST ${CONFIG}/rollback`]: {
    ...write,
    passes: 201,
    foreign: 404,
    sibling: 403,
    input: (tenant) => move(tenant, { environment: 'dev' }),
  },
  [`GET ${CONFIG}/rollouts`]: { ...read, foreign: 404, input: named },
  [`PATCH ${ROOT}/rollouts/[id]`]: {
    ...write,
    passes: 204,
    foreign: 404,
    sibling: 403,
    input: async (tenant) => ({
      params: { id: await staged(tenant) },
      body: JSON.stringify({ share: 50 }),
    }),
  },
  [`POST ${ROOT}/rollouts/[id]/stop`]: {
    ...write,
    passes: 204,
    foreign: 404,
    sibling: 403,
    input: async (tenant) => ({ params: { id: await staged(tenant) }, body: '{}' }),
  },
  [`PUT ${CONFIG}/shadow`]: {
    ...write,
    passes: 204,
    foreign: 404,
    sibling: 403,
    stranger: 403,
    input: ({ prompt }) => json(prompt, { environment: 'dev', version: null }),
  },
  // A key of another environment sees the config, and none of its runs and cases.
  [`GET ${CONFIG}/backtests`]: { ...write, foreign: 404, sibling: 200, input: named },
  [`POST ${CONFIG}/backtests`]: {
    ...write,
    passes: 201,
    foreign: 404,
    sibling: 201,
    input: (tenant) => seenDraft(tenant, { sample: { kind: 'cases' } }),
  },
  [`GET ${ROOT}/backtests/[id]`]: {
    ...write,
    foreign: 404,
    input: async (tenant) => ({ params: await runOfKey(tenant) }),
  },
  [`POST ${ROOT}/backtests/[id]/cancel`]: {
    ...write,
    foreign: 404,
    input: async (tenant) => ({ params: await runOfKey(tenant) }),
  },
  [`GET ${CONFIG}/cases`]: { ...write, foreign: 404, sibling: 200, input: named },
  [`PATCH ${ROOT}/cases/[id]`]: {
    ...write,
    passes: 204,
    foreign: 404,
    input: async (tenant) => ({
      params: await freshCase(tenant),
      body: JSON.stringify({ expected: 'denied', note: 'not mine' }),
    }),
  },
  [`DELETE ${ROOT}/cases/[id]`]: {
    ...write,
    passes: 204,
    foreign: 404,
    input: async (tenant) => ({ params: await freshCase(tenant) }),
  },
  [`GET ${CONFIG}/claims`]: { ...read, foreign: 404, input: named },
  [`POST ${CONFIG}/claims`]: {
    ...write,
    passes: 201,
    foreign: 404,
    sibling: 201,
    input: async (tenant) => {
      const { prompt } = await freshConfig(tenant)
      return json(prompt, { question: freshQuestion(), expect: 'never' })
    },
  },
  [`DELETE ${ROOT}/claims/[id]`]: {
    ...write,
    passes: 204,
    foreign: 404,
    sibling: 403,
    input: async (tenant) => ({ params: await freshClaim(tenant) }),
  },
  [`GET ${ROOT}/releases`]: { ...read, foreign: 200 },
  [`GET ${ROOT}/releases/[id]`]: {
    ...read,
    foreign: 404,
    input: ({ releaseId: id }) => ({ params: { id } }),
  },
  [`GET ${ROOT}/sessions`]: { ...records, foreign: 200 },
  [`GET ${ROOT}/sessions/[id]`]: {
    ...records,
    foreign: 404,
    input: ({ session: id }) => ({ params: { id } }),
  },
  [`GET ${ROOT}/sessions/[id]/events`]: {
    ...records,
    foreign: 404,
    input: ({ session: id }) => ({ params: { id } }),
  },
  [`POST ${ROOT}/sessions/[id]/orders`]: {
    ...write,
    passes: 201,
    foreign: 404,
    input: async (tenant) => ({
      params: { id: await controllableSession(tenant) },
      body: JSON.stringify({ action: 'end', reason: 'not mine' }),
    }),
  },
  [`GET ${ROOT}/stops`]: { ...records, foreign: 200 },
  [`GET ${ROOT}/stops/[id]`]: {
    ...records,
    foreign: 404,
    input: ({ stopId: id }) => ({ params: { id } }),
  },
  [`GET ${ROOT}/decisions`]: { ...records, foreign: 200 },
  [`GET ${ROOT}/decisions/[id]`]: {
    ...records,
    foreign: 404,
    input: ({ decisionId: id }) => ({ params: { id } }),
  },
  [`GET ${ROOT}/feedback`]: { ...records, foreign: 200 },
  [`GET ${ROOT}/feedback/[id]`]: {
    ...records,
    foreign: 404,
    input: async (tenant) => ({ params: { id: await delivered(tenant) } }),
  },
  [`GET ${ROOT}/alerts`]: { ...records, foreign: 200 },
  [`GET ${ROOT}/alerts/[id]`]: {
    ...records,
    foreign: 404,
    input: async (tenant) => ({ params: await firingAlert(tenant) }),
  },
  [`GET ${ROOT}/runtimes`]: { auth: 'key', needs: 'read', foreign: 200 },
  [`GET ${ROOT}/runtimes/[id]`]: {
    auth: 'key',
    needs: 'read',
    foreign: 404,
    input: ({ runtimeId: id }) => ({ params: { id } }),
  },
  [`GET ${ROOT}/approvals`]: { ...records, foreign: 200 },
  [`GET ${ROOT}/approvals/[id]`]: {
    ...records,
    foreign: 404,
    input: async (tenant) => ({ params: { id: (await waitingCall(tenant)).id } }),
  },
  [`POST ${ROOT}/approvals/[id]/answer`]: {
    auth: 'key',
    needs: 'approvals:answer',
    foreign: 404,
    input: async (tenant) => {
      const { id, ...answer } = await waitingCall(tenant)
      return { params: { id }, body: JSON.stringify(answer) }
    },
  },
  [`GET ${ROOT}/sessions/[id]/labels`]: {
    ...records,
    foreign: 404,
    input: ({ session: id }) => ({ params: { id } }),
  },
  [`PUT ${ROOT}/sessions/[id]/labels`]: {
    auth: 'key',
    needs: 'labels:write',
    foreign: 404,
    input: ({ session: id }) => ({
      params: { id },
      body: JSON.stringify({ seq: 0, label: 'good' }),
    }),
  },
  // A session without a config of this server is refused.
  [`POST ${ROOT}/sessions/[id]/prevention`]: {
    ...write,
    passes: 422,
    foreign: 404,
    input: ({ session: id }) => ({ params: { id }, body: JSON.stringify({ seq: 3 }) }),
  },
  [`GET ${ROOT}/preventions/[id]`]: {
    ...records,
    foreign: 404,
    input: async (tenant) => ({ params: await prevention(tenant) }),
  },
  [`POST ${ROOT}/preventions/[id]/cancel`]: {
    ...write,
    foreign: 404,
    input: async (tenant) => ({ params: await prevention(tenant) }),
  },
  [`POST ${ROOT}/preventions/[id]/take`]: {
    ...write,
    passes: 422,
    foreign: 404,
    input: async (tenant) => ({
      params: await prevention(tenant),
      body: JSON.stringify({ candidate: 1 }),
    }),
  },
  [`GET ${CONFIG}/suggestions`]: { ...records, foreign: 404, sibling: 200, input: named },
  [`POST ${CONFIG}/suggestions/search`]: {
    ...write,
    passes: 201,
    foreign: 404,
    sibling: 201,
    input: async (tenant) => ({ params: toRouteParams((await freshConfig(tenant)).prompt) }),
  },
  [`POST ${CONFIG}/suggestions/cancel`]: {
    ...write,
    foreign: 404,
    sibling: 404,
    input: async (tenant) => named({ ...tenant, prompt: await learning(tenant) }),
  },
  [`POST ${CONFIG}/suggestions/take`]: {
    ...write,
    passes: 422,
    foreign: 404,
    sibling: 404,
    input: async (tenant) => json(await learning(tenant), { ids: ['none'] }),
  },
  [`POST ${CONFIG}/suggestions/[id]/dismiss`]: {
    ...write,
    passes: 404,
    foreign: 404,
    sibling: 404,
    input: async (tenant) => withRule(json(await learning(tenant), { reason: 'why' }), 'none'),
  },
  [`POST ${CONFIG}/suggestions/[id]/restore`]: {
    ...write,
    passes: 204,
    foreign: 404,
    // For all environments.
    sibling: 204,
    input: async (tenant) => {
      const { id, ...prompt } = await dismissed(tenant)
      return withRule({ params: toRouteParams(prompt) }, id)
    },
  },
  [`GET ${ROOT}/audit-log`]: { ...audit, foreign: 200 },
  [`GET ${ROOT}/audit-log/[id]`]: {
    ...audit,
    foreign: 404,
    input: async (tenant) => ({ params: { id: (await anAuditEntry(tenant)).id } }),
  },
  [`GET ${ROOT}/environments`]: { ...read, foreign: 200 },
  [`GET ${ROOT}/export`]: { ...read, foreign: 200 },
  [`POST ${ROOT}/import`]: {
    ...write,
    foreign: 200,
    sibling: 200,
    input: () => ({ body: JSON.stringify({ document: EMPTY_EXPORT }) }),
  },
}

const EMPTY_EXPORT = {
  export_version: 1,
  project: 'other',
  exported_at: 1,
  environments: [],
  configs: [],
}
