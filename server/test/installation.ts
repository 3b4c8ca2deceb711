// Tests only; the database itself comes from server/platform/db/test-database.ts.

import { createHmac, randomBytes } from 'node:crypto'
import { omitUndefined, type SessionEvent } from '@signalbox/core'
import { eventHash, newId } from '@signalbox/wire'
import { hashPassword } from 'better-auth/crypto'
import { bootstrap } from '@/server/bootstrap.ts'
import { handleAuth } from '@/server/http/auth.ts'
import { readIncoming } from '@/server/ingest/batch/incoming.ts'
import { type IngestResult, ingest } from '@/server/ingest/ingest.ts'
import { generateKey } from '@/server/platform/auth/api-key.ts'
import { auth } from '@/server/platform/auth/auth.ts'
import type { KeyScopeName } from '@/server/platform/auth/key-scopes.kinds.ts'
import { insertKey, touchKey } from '@/server/platform/auth/keys.sql.ts'
import { insertMembership, insertUser } from '@/server/platform/auth/members.sql.ts'
import type { PublishIn, Role } from '@/server/platform/auth/permissions.ts'
import { importTarget } from '@/server/platform/auth/scope.ts'
import { systemProject, systemScope } from '@/server/platform/auth/system.ts'
import { database } from '@/server/platform/db/client.ts'
import { inBothTransactions, inTransaction } from '@/server/platform/db/transaction.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { freshId } from '@/server/platform/ids.ts'
import { createContext } from '@/server/platform/trpc/context.ts'
import { createCaller } from '@/server/trpc/root.ts'

export interface TestProject {
  readonly projectId: AuthorizedProjectId
  readonly slug: string
  readonly environments: Readonly<Record<string, string>>
}

async function loadTestProject(id: string): Promise<TestProject> {
  const projectId = systemProject(id)
  const { prisma } = database()
  const rows = await prisma.environment.findMany({ where: { projectId } })
  const { slug } = await prisma.project.findUniqueOrThrow({ where: { id: projectId } })
  return {
    projectId,
    slug,
    environments: Object.fromEntries(rows.map(({ name, id }) => [name, id])),
  }
}

export async function installed(): Promise<TestProject> {
  await bootstrap()
  const { prisma } = database()
  const { id } = await prisma.project.findUniqueOrThrow({ where: { slug: 'default' } })
  return await loadTestProject(id)
}

export async function otherProject(): Promise<TestProject> {
  const { prisma } = database()
  const id = freshId('prj')
  await prisma.project.create({ data: { id, slug: id.toLowerCase(), name: 'Other' } })
  for (const [position, name] of ['dev', 'staging', 'production'].entries()) {
    await prisma.environment.create({
      data: { id: freshId('env'), projectId: id, name, position },
    })
  }
  return await loadTestProject(id)
}

export async function makeKey(
  project: TestProject,
  options: { readonly environment?: string; readonly scopes?: readonly KeyScopeName[] } = {},
): Promise<string> {
  const { secret, prefix, hash } = generateKey()
  const id = await inTransaction((tx) =>
    insertKey(tx, {
      projectId: project.projectId,
      environment: options.environment ?? 'dev',
      name: 'test',
      prefix,
      hash,
      scopes: options.scopes ?? ['ingest', 'read'],
      createdBy: 'test',
      expiresAt: null,
    }),
  )
  await touchKey({ id, projectId: project.projectId }, Date.now())
  return secret
}

export function newSessionId(): string {
  return newId('sess', { now: Date.now(), random: randomBytes(16) })
}

/** An event without what chaining adds. */
export type Draft = SessionEvent extends infer Event
  ? Event extends SessionEvent
    ? { readonly type: Event['type']; readonly data: Event['data'] }
    : never
  : never

/** Numbers, dates and chains drafts into one session's log, as a runtime does. `at` grows by 10 ms an event. */
export function chained(
  session: string,
  drafts: readonly Draft[],
  options: { readonly at?: number; readonly config?: string } = {},
): readonly SessionEvent[] {
  const start = options.at ?? 1_795_000_000_000
  const events: SessionEvent[] = []
  for (const [index, draft] of drafts.entries()) {
    const previous = events.at(-1)
    // The draft's type and data belong together; only the spread loses that type.
    const event = {
      ...draft,
      session,
      seq: index + 1,
      at: start + index * 10,
      ...omitUndefined({
        config: options.config,
        prev: previous === undefined ? undefined : eventHash(previous),
      }),
    } as SessionEvent
    events.push(event)
  }
  return events
}

export function started(prompt: { readonly ns: string; readonly key: string }): Draft {
  return {
    type: 'session.started',
    data: { ...prompt, environment: 'dev', harness: { name: 'test' } },
  }
}

export function ndjson(events: readonly SessionEvent[]): string {
  return events.map((event) => `${JSON.stringify(event)}\n`).join('')
}

/** Stores events in dev without HTTP. Two calls in one turn of the event loop arrive together. */
export function ingestEvents(
  { projectId }: TestProject,
  events: readonly SessionEvent[],
): Promise<IngestResult> {
  const lines = ndjson(events).trimEnd().split('\n')
  const incoming = readIncoming(lines.map((text, index) => ({ number: index + 1, text })))
  return ingest(importTarget(systemScope(projectId), 'dev'), incoming)
}

export function eventsRequest(
  key: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string>> = {},
): Request {
  return new Request('http://127.0.0.1:3000/api/runtime/v1/events', {
    method: 'POST',
    body,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson', ...headers },
  })
}

const PASSWORD = 'correct horse battery'

export function postAuth(path: string, body: object, more: HeadersInit = {}): Promise<Response> {
  const text = JSON.stringify(body)
  const headers = new Headers(more)
  headers.set('content-type', 'application/json')
  headers.set('content-length', String(Buffer.byteLength(text)))
  headers.set('origin', 'http://127.0.0.1:3000')
  const url = `http://127.0.0.1:3000/api/auth${path}`
  return handleAuth(new Request(url, { method: 'POST', headers, body: text }))
}

export async function signIn(email: string, password = PASSWORD): Promise<Headers> {
  const response = await postAuth('/sign-in/email', { email, password })
  if (!response.ok) throw new Error(`Sign-in failed with ${response.status}.`)
  const cookie = response.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  return new Headers({ cookie })
}

/** The same headers without the password's hash, which is slow on purpose: for tests that are not about signing in. */
export async function signedIn(email: string): Promise<Headers> {
  const { internalAdapter, authCookies, secret } = await auth().$context
  const found = await internalAdapter.findUserByEmail(email)
  if (found === null) throw new Error(`No user has the address ${email}.`)
  const { token } = await internalAdapter.createSession(found.user.id)
  const signature = createHmac('sha256', secret).update(token).digest('base64')
  const value = encodeURIComponent(`${token}.${signature}`)
  return new Headers({ cookie: `${authCookies.sessionToken.name}=${value}` })
}

/** Hash of the password that every user has. A hash is slow by design, and the matrices create a hundred users. */
let passwordHash: Promise<string> | undefined

/** A member who can sign in. `publishIn`: of a publisher, where; null for everywhere. */
export async function makePerson(
  project: TestProject,
  role: Role,
  publishIn: PublishIn = null,
): Promise<string> {
  const { projectId } = project
  const email = `${freshId('mail').toLowerCase()}@example.test`
  passwordHash ??= hashPassword(PASSWORD)
  const hash = await passwordHash
  await inBothTransactions(async (both) => {
    const user = { name: `A ${role}`, email, passwordHash: hash }
    const userId = await insertUser(both.directory, user)
    await insertMembership(both, { projectId, userId, role, publishIn })
  })
  return email
}

export async function createProjectCaller(project: TestProject, role: Role) {
  return createCaller(createContext(await signedIn(await makePerson(project, role))))
}
