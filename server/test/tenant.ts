// Made through the entry points of users and runtimes. Every name and text in it contains the tenant's mark. Tests only.

import { CHECKER_TYPES, POLICY_TYPES, PROVIDER_TYPES } from '@signalbox/core/host'
import { api } from '@/server/http/api.ts'
import { PROJECT_HEADER } from '@/server/platform/auth/asked-project.ts'
import type { PublishIn, Role } from '@/server/platform/auth/permissions.ts'
import { database } from '@/server/platform/db/client.ts'
import { createContext } from '@/server/platform/trpc/context.ts'
import { createCaller } from '@/server/trpc/root.ts'
import {
  type Draft,
  eventsRequest,
  makeKey,
  makePerson,
  ndjson,
  newSessionId,
  signedIn,
  type TestProject,
} from './installation.ts'
import { recordedSession } from './recorded-session.ts'

export const ROLES = ['viewer', 'editor', 'publisher', 'admin'] as const satisfies readonly Role[]

export const ONE_PLACE = ['dev', 'staging'] as const

export const MEMBERS = ROLES.length + ONE_PLACE.length

export interface Person {
  readonly userId: string
  readonly email: string
  readonly headers: Headers
}

export interface Tenant {
  readonly project: TestProject
  readonly mark: string
  readonly people: Readonly<Record<Role, Person>>
  readonly publishersByEnvironment: Readonly<Record<(typeof ONE_PLACE)[number], Person>>
  readonly prompt: { readonly ns: string; readonly key: string }
  readonly session: string
  readonly stopId: string
  readonly decisionId: string
  readonly releaseId: string
  readonly runtimeId: string
  readonly keyId: string
}

export function createAdmin({ people }: Pick<Tenant, 'people'>) {
  return createCaller(createContext(new Headers(people.admin.headers)))
}

export async function newMember(
  project: TestProject,
  role: Role,
  publishIn: PublishIn = null,
): Promise<Omit<Person, 'headers'>> {
  const email = await makePerson(project, role, publishIn)
  const { id: userId } = await database().prisma.user.findUniqueOrThrow({ where: { email } })
  return { userId, email }
}

export async function newPerson(
  project: TestProject,
  role: Role,
  publishIn: PublishIn = null,
): Promise<Person> {
  const { userId, email } = await newMember(project, role, publishIn)
  const headers = await signedIn(email)
  // The header that the console's client sends; some users become members of more projects.
  headers.set(PROJECT_HEADER, project.slug)
  return { userId, email, headers }
}

/** A document that publishes; no two are the same content. */
export function configText(prompt: { readonly ns: string; readonly key: string }, words: string) {
  return JSON.stringify({
    schema_version: 1,
    ...prompt,
    description: words,
    policies: [{ id: 'order', type: 'sequential_dependency', dependencies: { deploy: ['test'] } }],
    task_completion_checker: { id: 'planned', type: 'plan' },
  })
}

export function registration(name: string, prompt: string) {
  return {
    name,
    sdk_version: '0.1.0',
    harness: { name: 'test' },
    prompts: [prompt],
    capabilities: {
      policies: [...POLICY_TYPES],
      feedback_providers: [...PROVIDER_TYPES],
      checkers: [...CHECKER_TYPES],
    },
    posture: 'deny',
    now: Date.now(),
  }
}

function dataPlane(
  key: string,
  request: { readonly path: string; readonly body?: unknown },
): Request {
  const { path, body } = request
  return new Request(`http://127.0.0.1:3000/api/runtime/v1/${path}`, {
    headers: { authorization: `Bearer ${key}` },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  })
}

function happenings(mark: string, prompt: Tenant['prompt']): readonly Draft[] {
  return [
    {
      type: 'session.started',
      data: { ...prompt, environment: 'dev', harness: { name: 'test' } },
    },
    {
      type: 'plan.updated',
      data: { steps: [{ title: `${mark} step`, status: 'pending' }] },
    },
    {
      type: 'tool.requested',
      data: { call_id: 'c1', tool: 'deploy', args: { to: `${mark} host` } },
    },
    { type: 'stop.attempted', data: { via: 'turn_end', last_message: `${mark} is done` } },
  ]
}

async function recordSession(key: string, mark: string, prompt: Tenant['prompt']) {
  const session = newSessionId()
  const { digest, text } = await database().prisma.configVersion.findFirstOrThrow({
    where: { config: prompt },
    orderBy: { number: 'desc' },
  })
  const recording = { session, at: Date.now() - 60_000, release: { digest, text } }
  const events = recordedSession(recording, happenings(mark, prompt))
  const response = await api.fetch(eventsRequest(key, ndjson(events)))
  const answer = JSON.stringify(await response.json())
  if (response.status !== 200 || !answer.includes('"errors":[]')) throw new Error(answer)
  const findSeq = (type: string): number => events.find((event) => event.type === type)?.seq ?? 0
  return {
    session,
    stopId: `stop_${session.slice(5)}_${findSeq('stop.decided')}`,
    decisionId: `dec_${session.slice(5)}_${findSeq('tool.decided')}`,
  }
}

export async function publishedConfig(
  people: Tenant['people'],
  prompt: Tenant['prompt'],
  words: string,
): Promise<{ readonly draftId: string; readonly revision: number; readonly releaseId: string }> {
  const admin = createAdmin({ people })
  await admin.configs.create({ ...prompt, text: configText(prompt, words) })
  const { draft } = await admin.drafts.open(prompt)
  const seen = { id: draft?.id ?? '', revision: draft?.revision ?? 0 }
  const released = await admin.releases.publish({
    ...prompt,
    environment: 'dev',
    note: words,
    draftId: seen.id,
    revision: seen.revision,
  })
  if (!released.ok) throw new Error(released.message)
  const text = configText(prompt, `${words} again`)
  const saved = await admin.drafts.save({ ...prompt, text, seen, baseVersion: 1 })
  if (!saved.ok) throw new Error('The draft moved.')
  return { draftId: saved.id, revision: saved.revision, releaseId: released.release.id }
}

export async function makeTenant(project: TestProject, mark: string): Promise<Tenant> {
  const entries = await Promise.all(
    ROLES.map(async (role) => [role, await newPerson(project, role)] as const),
  )
  // ROLES holds every role once.
  const people = Object.fromEntries(entries) as Tenant['people']
  const prompt = { ns: `ns-${mark}`, key: 'agent' }
  const { releaseId } = await publishedConfig(people, prompt, `${mark} words`)
  const key = await makeKey(project)
  const name = `${mark}-runtime`
  const told = await api.fetch(
    dataPlane(key, { path: 'register', body: registration(name, `${prompt.ns}/${prompt.key}`) }),
  )
  const { runtime_id: runtimeId } = await told.json()
  const made = await createAdmin({ people }).keys.create({
    name: `${mark} key`,
    environment: 'dev',
    scopes: ['read'],
  })
  const session = await recordSession(key, mark, prompt)
  const publishersByEnvironment = {
    dev: await newPerson(project, 'publisher', ['dev']),
    staging: await newPerson(project, 'publisher', ['staging']),
  }
  const ids = { releaseId, runtimeId, keyId: made.id }
  return { project, mark, people, publishersByEnvironment, prompt, ...session, ...ids }
}
