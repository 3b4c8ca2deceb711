import { EnvironmentList } from '@signalbox/wire'
import * as z from 'zod/v4'
import { Unusable } from '../base/io.ts'
import type { ControlPlane } from '../remote/control-plane.ts'
import type { DesiredProject } from './project-file.ts'

const At = z.number().nullable()

const Key = z.looseObject({
  id: z.string(),
  name: z.string(),
  environment: z.string(),
  prefix: z.string(),
  scopes: z.array(z.string()),
  expires_at: At,
  revoked_at: At,
  replaced_by: z.string().nullable(),
})
export type LiveKey = z.output<typeof Key>

const Alert = z.looseObject({
  id: z.string(),
  name: z.string(),
  signal: z.string(),
  environment: z.string(),
  ns: z.string().nullable(),
  key: z.string().nullable(),
  runtime: z.string().nullable(),
  code: z.string().nullable(),
  window_minutes: z.number(),
  threshold: z.number(),
  enabled: z.boolean(),
  destinations: z.array(z.looseObject({ digest: z.string() })),
})
export type LiveAlert = z.output<typeof Alert>

const Stream = z.looseObject({
  id: z.string(),
  name: z.string(),
  digest: z.string(),
  audit: z.boolean(),
  decisions: z.boolean(),
  environment: z.string().nullable(),
})
export type LiveStream = z.output<typeof Stream>

const Grant = { role: z.string(), publish_in: z.array(z.string()).nullable() }
const Person = z.looseObject({ user_id: z.string(), email: z.string(), ...Grant })
export type LivePerson = z.output<typeof Person>

const Invitation = z.looseObject({
  id: z.string(),
  email: z.string(),
  state: z.string(),
  ...Grant,
})
export type LiveInvitation = z.output<typeof Invitation>

export interface LiveProject {
  /** The key that the command uses. */
  readonly caller: LiveKey
  readonly name: string
  readonly environments: EnvironmentList['environments']
  /** Those that work. */
  readonly keys: readonly LiveKey[]
  readonly alerts: readonly LiveAlert[]
  readonly streams: readonly LiveStream[]
  readonly people: readonly LivePerson[]
  /** Those that are pending. */
  readonly invitations: readonly LiveInvitation[]
}

async function readRows<Row extends z.ZodType>(
  plane: ControlPlane,
  path: string,
  row: Row,
): Promise<readonly z.output<Row>[]> {
  const schema = z.looseObject({ rows: z.array(row) })
  return (await plane.need({ path, schema })).rows
}

/** Reads only the sections that the file manages. Throws Unusable. */
export async function readLiveProject(
  plane: ControlPlane,
  wanted: DesiredProject,
  prefix: string,
): Promise<LiveProject> {
  const rows = async <Row extends z.ZodType>(path: string, row: Row, isWanted: boolean) =>
    isWanted ? await readRows(plane, path, row) : []
  const isMember = wanted.members !== undefined
  const keys = await readRows(plane, '/keys', Key)
  const caller = keys.find((key) => key.prefix === prefix)
  if (caller === undefined) throw new Unusable('The control plane does not list this API key.')
  const [project, environments, alerts, streams, people, invitations] = await Promise.all([
    plane.need({ path: '/project', schema: z.looseObject({ name: z.string() }) }),
    plane.need({ path: '/environments', schema: EnvironmentList }),
    rows('/alert-rules', Alert, wanted.alerts !== undefined),
    rows('/webhook-streams', Stream, wanted.streams !== undefined),
    rows('/people', Person, isMember),
    rows('/invitations', Invitation, isMember),
  ])
  const now = Date.now()
  return {
    caller,
    name: project.name,
    environments: environments.environments,
    keys: keys.filter(
      ({ revoked_at, expires_at }) => revoked_at === null && (expires_at ?? Infinity) > now,
    ),
    alerts,
    streams,
    people,
    invitations: invitations.filter(({ state }) => state === 'pending'),
  }
}
