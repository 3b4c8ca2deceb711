import { handleTrpc } from '@/server/http/trpc.ts'
import type { PublishIn, Role } from '@/server/platform/auth/permissions.ts'
import { database } from '@/server/platform/db/client.ts'
import { inTransaction } from '@/server/platform/db/transaction.ts'
import { notify } from '@/server/platform/live/live-bus.ts'
import { makeKey } from './installation.ts'
import { newPerson, ONE_PLACE, ROLES, type Tenant } from './tenant.ts'

export interface Caller {
  readonly name: string
  readonly headers: Headers
  /** Null: not a member of any project. */
  readonly member: {
    readonly tenant: Tenant
    readonly role: Role
    readonly publishIn: PublishIn
  } | null
  readonly refusal: 401 | 403
}

/** Callers who have no access; `tenant` is the one they come closest to. */
export const STRANGERS = [
  'an outsider',
  'nobody',
  'an expired login',
  'a forged login',
  'an API key',
] as const

async function strangersNear({ project, people }: Tenant): Promise<readonly Caller[]> {
  const { prisma } = database()
  const outsider = await newPerson(project, 'admin')
  await prisma.membership.deleteMany({ where: { userId: outsider.userId } })
  const expired = await newPerson(project, 'admin')
  await prisma.authSession.updateMany({
    where: { userId: expired.userId },
    data: { expiresAt: new Date(Date.now() - 1) },
  })
  const forged = (people.admin.headers.get('cookie') ?? '').replace(
    /(session_token=[^.;]*[.])./,
    '$1~',
  )
  const headers = {
    'an outsider': outsider.headers,
    nobody: new Headers(),
    'an expired login': expired.headers,
    'a forged login': new Headers({ cookie: forged }),
    'an API key': new Headers({
      authorization: `Bearer ${await makeKey(project, { scopes: ['ingest', 'read', 'publish'] })}`,
    }),
  } satisfies Record<(typeof STRANGERS)[number], Headers>
  return STRANGERS.map((name) => ({
    name,
    headers: headers[name],
    member: null,
    refusal: name === 'an outsider' ? 403 : 401,
  }))
}

function createMemberCallers(tenant: Tenant): readonly Caller[] {
  const refusal = 403 as const
  return [
    ...ROLES.map((role) => ({
      name: `${role} of ${tenant.mark}`,
      headers: tenant.people[role].headers,
      member: { tenant, role, publishIn: null },
      refusal,
    })),
    ...ONE_PLACE.map((environment) => ({
      name: `publisher of ${environment} only, of ${tenant.mark}`,
      headers: tenant.publishersByEnvironment[environment].headers,
      member: { tenant, role: 'publisher' as const, publishIn: [environment] },
      refusal,
    })),
  ]
}

export async function everybody(first: Tenant, second: Tenant): Promise<readonly Caller[]> {
  return [
    ...createMemberCallers(first),
    ...createMemberCallers(second),
    ...(await strangersNear(first)),
  ]
}

export interface Call {
  readonly path: string
  readonly type: 'query' | 'mutation' | 'subscription'
  readonly input?: unknown
}

function trpcRequest(headers: Headers, { path, type, input }: Call): Request {
  const url = new URL(`http://127.0.0.1:3000/api/trpc/${path}`)
  const sent = new Headers(headers)
  const text = input === undefined ? '' : JSON.stringify(input)
  if (type !== 'mutation') {
    if (text !== '') url.searchParams.set('input', text)
    return new Request(url, { headers: sent })
  }
  sent.set('origin', 'http://127.0.0.1:3000')
  sent.set('content-type', 'application/json')
  sent.set('content-length', String(Buffer.byteLength(text)))
  return new Request(url, { method: 'POST', headers: sent, body: text })
}

export interface Answer {
  readonly status: number
  readonly text: string
}

const ERROR_EVENT = /event: serialized-error\ndata: (.*)\n/
const FIRST_NOTIFICATION = /"kind"/

/** Sends a notification to every project, first those created first, until one reaches the stream or the stream is refused. */
async function readFirstChunk(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Answer> {
  const projects = await database().prisma.project.findMany({ orderBy: { createdAt: 'asc' } })
  const knock = () =>
    inTransaction(async (tx) => {
      for (const { id } of projects) await notify(tx, { project: id, kind: 'config', id })
    })
  let text = ''
  for (;;) {
    const error = ERROR_EVENT.exec(text)?.[1]
    if (error !== undefined) return { status: JSON.parse(error).data.httpStatus, text }
    if (FIRST_NOTIFICATION.test(text)) return { status: 200, text }
    const chunk = reader.read()
    const timer = setInterval(() => void knock(), 20)
    const { value, done } = await chunk
    clearInterval(timer)
    if (done) return { status: 500, text: `The stream ended: ${text}` }
    text += new TextDecoder().decode(value)
  }
}

/** A subscription's answer is its first notification, or the error that came instead. */
export async function callTrpc(headers: Headers, call: Call): Promise<Answer> {
  const response = await handleTrpc(trpcRequest(headers, call))
  const { status, body } = response
  if (call.type !== 'subscription' || body === null) return { status, text: await response.text() }
  const reader = body.getReader()
  const answer = await readFirstChunk(reader)
  await reader.cancel()
  return answer
}
