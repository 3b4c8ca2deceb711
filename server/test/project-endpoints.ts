// Expected access of programs to keys, people, environments, alert rules and annotations. Inputs are those of the console's procedures.
import { freshId } from '@/server/platform/ids.ts'
import { annotation, firingAlert, invited, PROCEDURES } from './access-table.ts'
import type { EndpointRow, KeyInput } from './endpoint-row.ts'
import { createAdmin, newMember, type Tenant } from './tenant.ts'

const ROOT = '/api/manage/v1'
const admin = { auth: 'key', needs: 'admin' } as const
/** Settings of the whole project, for a key of any environment. */
const whole = { ...admin, foreign: 200, sibling: 200 } as const
/** A row of another environment is not found. */
const named = { ...admin, foreign: 404, sibling: 404 } as const

const toSnakeName = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const toBody = (fields: object): string =>
  JSON.stringify(
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [toSnakeName(name), value])),
  )

/** The input of a procedure, with one field in the address. */
function procedure(name: string, field = 'id') {
  return async (tenant: Tenant): Promise<KeyInput> => {
    const { [field]: id, ...rest } = { ...(await PROCEDURES[name]?.input?.(tenant)) } as Readonly<
      Record<string, unknown>
    >
    return {
      params: { id: String(id) },
      ...(Object.keys(rest).length > 0 && { body: toBody(rest) }),
    }
  }
}

async function adminKey(tenant: Tenant): Promise<string> {
  const key = { name: `${tenant.mark} key`, environment: 'dev', scopes: ['admin' as const] }
  return (await createAdmin(tenant).keys.create(key)).id
}

const demands = {
  requires_note: false,
  requires_typed_name: false,
  required_approvals: 0,
  rollback_skips_approval: true,
  requires_backtest: false,
}

const rule = {
  name: 'by a key',
  signal: 'blocked_stops',
  environment: 'dev',
  ns: null,
  key: null,
  window_minutes: 60,
  threshold: 1,
  destinations: [],
}

const stream = {
  name: 'by a key',
  url: 'https://hooks.invalid/',
  audit: false,
  decisions: true,
  environment: 'dev',
}

const STREAM = `${ROOT}/webhook-streams/[id]`
// The key has no other scope, so it sees no stream.
const unseen = { ...admin, passes: 404, foreign: 404, sibling: 404 } as const
const aStream = procedure('webhookStreams.remove')

const RULE = `${ROOT}/alert-rules/[id]`
const aRule = procedure('alerts.remove')

export const PROJECT_ENDPOINTS: Readonly<Record<string, EndpointRow>> = {
  [`GET ${ROOT}/keys`]: whole,
  [`POST ${ROOT}/keys`]: {
    ...admin,
    passes: 201,
    foreign: 201,
    sibling: 403,
    stranger: 403,
    input: () => ({ body: toBody({ name: 'new', environment: 'dev', scopes: ['admin'] }) }),
  },
  [`POST ${ROOT}/keys/[id]/rotate`]: {
    ...named,
    passes: 201,
    input: async (tenant) => ({
      params: { id: await adminKey(tenant) },
      body: toBody({ overlapHours: 1 }),
    }),
  },
  [`DELETE ${ROOT}/keys/[id]`]: {
    ...named,
    passes: 204,
    input: async (tenant) => ({ params: { id: await adminKey(tenant) } }),
  },
  [`GET ${ROOT}/people`]: whole,
  // The key has no other scope, so it cannot grant a role.
  [`PATCH ${ROOT}/people/[id]`]: {
    ...admin,
    passes: 403,
    foreign: 403,
    input: procedure('members.setRole', 'userId'),
  },
  [`DELETE ${ROOT}/people/[id]`]: {
    ...admin,
    passes: 204,
    foreign: 404,
    sibling: 204,
    input: async ({ project }) => ({ params: { id: (await newMember(project, 'viewer')).userId } }),
  },
  [`GET ${ROOT}/invitations`]: whole,
  [`POST ${ROOT}/invitations`]: {
    ...admin,
    passes: 403,
    foreign: 403,
    input: () => ({ body: toBody({ email: `${freshId('x')}@new.test`, role: 'viewer' }) }),
  },
  [`DELETE ${ROOT}/invitations/[id]`]: {
    ...admin,
    passes: 204,
    foreign: 404,
    sibling: 204,
    input: async (tenant) => ({ params: { id: (await invited(tenant)).id } }),
  },
  [`GET ${ROOT}/project`]: whole,
  [`PATCH ${ROOT}/project`]: {
    ...admin,
    passes: 204,
    foreign: 204,
    sibling: 204,
    input: () => ({ body: toBody({ name: 'Renamed' }) }),
  },
  [`POST ${ROOT}/environments`]: {
    ...admin,
    passes: 201,
    foreign: 201,
    sibling: 201,
    input: async (tenant) => ({
      body: toBody({ ...(await PROCEDURES['environments.create']?.input?.(tenant)) }),
    }),
  },
  [`PUT ${ROOT}/environments/[name]`]: {
    ...admin,
    passes: 204,
    foreign: 204,
    sibling: 404,
    stranger: 404,
    input: () => ({ params: { name: 'dev' }, body: toBody(demands) }),
  },
  [`GET ${ROOT}/alert-rules`]: whole,
  [`POST ${ROOT}/alert-rules`]: {
    ...admin,
    passes: 201,
    foreign: 201,
    sibling: 403,
    stranger: 403,
    input: () => ({ body: toBody(rule) }),
  },
  [`PUT ${RULE}`]: {
    ...named,
    passes: 204,
    input: async (tenant) => ({ ...(await aRule(tenant)), body: toBody(rule) }),
  },
  [`DELETE ${RULE}`]: { ...named, passes: 204, input: aRule },
  [`POST ${RULE}/mute`]: { ...named, passes: 204, input: procedure('alerts.mute') },
  [`POST ${RULE}/enable`]: { ...named, passes: 204, input: procedure('alerts.enable') },
  [`POST ${RULE}/test`]: { ...named, input: aRule },
  [`POST ${RULE}/secret`]: { ...named, input: aRule },
  [`GET ${ROOT}/webhook-streams`]: whole,
  [`POST ${ROOT}/webhook-streams`]: {
    ...admin,
    passes: 403,
    foreign: 403,
    input: () => ({ body: toBody(stream) }),
  },
  [`PUT ${STREAM}`]: {
    ...admin,
    passes: 403,
    foreign: 403,
    input: async (tenant) => ({ ...(await aStream(tenant)), body: toBody(stream) }),
  },
  [`DELETE ${STREAM}`]: { ...unseen, input: aStream },
  [`POST ${STREAM}/resume`]: { ...unseen, input: aStream },
  [`POST ${STREAM}/test`]: { ...unseen, input: aStream },
  [`POST ${STREAM}/secret`]: { ...unseen, input: aStream },
  [`POST ${ROOT}/alerts/[id]/acknowledge`]: {
    ...named,
    passes: 204,
    input: procedure('alerts.acknowledge'),
  },
  // No one acknowledged it.
  [`POST ${ROOT}/alerts/[id]/unacknowledge`]: {
    ...named,
    passes: 409,
    input: async (tenant) => ({ params: await firingAlert(tenant) }),
  },
  [`GET ${ROOT}/sessions/[id]/annotations`]: {
    ...named,
    input: ({ session: id }) => ({ params: { id } }),
  },
  [`POST ${ROOT}/sessions/[id]/annotations`]: {
    ...named,
    passes: 201,
    input: ({ session: id }) => ({ params: { id }, body: toBody({ seq: 1, text: 'by a key' }) }),
  },
  // Another author wrote it.
  [`PATCH ${ROOT}/annotations/[id]`]: {
    ...named,
    passes: 403,
    input: async (tenant) => ({ params: await annotation(tenant), body: toBody({ text: 'mine' }) }),
  },
  [`DELETE ${ROOT}/annotations/[id]`]: {
    ...named,
    passes: 204,
    input: async (tenant) => ({ params: await annotation(tenant) }),
  },
}
