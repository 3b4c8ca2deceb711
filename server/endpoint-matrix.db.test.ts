// Both tenants hold the same data; server/test/endpoint-table.ts has the expected results.
import fs from 'node:fs'
import path from 'node:path'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Role } from '@/server/platform/auth/permissions.ts'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { type Caller, everybody, STRANGERS } from '@/server/test/callers.ts'
import type { KeyInput, KeyRow, LoginRow } from '@/server/test/endpoint-row.ts'
import { ENDPOINTS } from '@/server/test/endpoint-table.ts'
import {
  allEndpoints,
  callEndpoint,
  type Endpoint,
  KEY_CALLERS,
  type KeyCaller,
  keyCallers,
  unusedHandlers,
} from '@/server/test/endpoints.ts'
import { otherProject } from '@/server/test/installation.ts'
import { isTried } from '@/server/test/nonsense.ts'
import { MEMBERS, makeTenant, ROLES, type Tenant } from '@/server/test/tenant.ts'
import { collectWords, fingerprintRows, tracesIn } from '@/server/test/traces.ts'

withTestDatabase()

const TENANTS = 2
const PEOPLE = MEMBERS * TENANTS + STRANGERS.length
const endpoints = await allEndpoints()
const byKey = endpoints.flatMap((endpoint) => {
  const row = ENDPOINTS[endpoint.name]
  return row?.auth === 'key' ? [{ name: endpoint.name, endpoint, row }] : []
})
const byLogin = endpoints.flatMap((endpoint) => {
  const row = ENDPOINTS[endpoint.name]
  return row?.auth === 'login' ? [{ name: endpoint.name, endpoint, row }] : []
})

const rankRole = (role: Role): number => ROLES.indexOf(role)

let tenants: readonly Tenant[]
let target: Tenant
let keys: readonly KeyCaller[]
let people: readonly Caller[]
/** Words that tell of a tenant, as they are before the calls of an endpoint. */
const words = new Map<Tenant, ReadonlySet<string>>()

beforeEach(async () => {
  for (const tenant of tenants) words.set(tenant, await collectWords(tenant))
})

beforeAll(async () => {
  const first = await makeTenant(await otherProject(), 'kestrel')
  const second = await makeTenant(await otherProject(), 'plover')
  tenants = [first, second]
  target = first
  keys = await keyCallers(first, second)
  people = await everybody(first, second)
})

async function send(
  endpoint: Endpoint,
  headers: Headers,
  { params = {}, headers: extra = {}, body }: KeyInput,
): Promise<{ readonly status: number; readonly text: string }> {
  const request = new Request('http://127.0.0.1:3000/api', {
    method: endpoint.method,
    headers: new Headers([...new Headers(headers), ...Object.entries(extra)]),
    ...(body === undefined ? {} : { body }),
  })
  const response = await callEndpoint(endpoint, request, params)
  const told = [...response.headers].join('\n')
  const { status } = response
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    return { status, text: `${told}\n${await response.text()}` }
  }
  const reader = response.body?.getReader()
  const { value } = (await reader?.read()) ?? {}
  await reader?.cancel()
  return { status, text: `${told}\n${new TextDecoder().decode(value)}` }
}

async function named({ runtimeId, session }: Tenant): Promise<unknown> {
  const { prisma } = database()
  return [
    await prisma.runtime.findUnique({ where: { id: runtimeId } }),
    await prisma.session.findUnique({ where: { id: session } }),
    await prisma.sessionEvent.count({ where: { sessionId: session } }),
  ]
}

interface KeyCase {
  readonly endpoint: Endpoint
  readonly row: KeyRow
  readonly caller: KeyCaller
}

const isOwn = ({ row, caller: { key } }: KeyCase): boolean =>
  key?.scope === row.needs && key.tenant === target && key.environment === 'dev'

function expectKeyStatus(one: KeyCase): number {
  const { key } = one.caller
  if (key === null) return 401
  const { needs, passes = 200, foreign, sibling = foreign, stranger = foreign } = one.row
  if (key.scope !== needs) return 403
  if (isOwn(one)) return passes
  if (key.tenant === target) return sibling
  return key.environment === 'dev' ? foreign : stranger
}

/** Selects the callers of the right scope, and a third of the others; in a soak, all of them. */
const selectKeys = (row: KeyRow, at: number): readonly KeyCaller[] =>
  keys.filter(({ key }, number) => key?.scope === row.needs || isTried(number, at, 3))

const isGood = (status: number): boolean => status < 300

type Rows = Awaited<ReturnType<typeof fingerprintRows>>

const readRows = async (kept: readonly Tenant[]): Promise<ReadonlyMap<Tenant, Rows>> =>
  new Map(
    await Promise.all(
      kept.map(async (one) => [one, await fingerprintRows(one.project.projectId)] as const),
    ),
  )

interface Left {
  /** Input of a call that no successful call has used up; null: none. */
  input: KeyInput | null
  /** Rows of tenants that none of `callers` may change, as they were before the first of them. */
  rows: ReadonlyMap<Tenant, Rows>
  callers: readonly string[]
}

const NOTHING_LEFT: Left = { input: null, rows: new Map(), callers: [] }

/** Once after several calls, because reading the rows takes longer than a refused call. */
async function expectSameRows({ name }: Endpoint, { rows, callers }: Left): Promise<void> {
  for (const [tenant, after] of await readRows([...rows.keys()])) {
    const what = `${name} with ${callers.join(' or ')} changes rows of ${tenant.mark}`
    expect(after, what).toEqual(rows.get(tenant))
  }
}

async function tryKey(one: KeyCase, left: Left): Promise<Left> {
  const { endpoint, row, caller } = one
  const { name, headers, key } = caller
  const expected = expectKeyStatus(one)
  const isNew = left.input === null || isGood(expected)
  if (isNew) await expectSameRows(endpoint, left)
  const input = left.input ?? (await row.input?.(target)) ?? {}
  const kept = tenants.filter((tenant) => !isGood(expected) || key?.tenant !== tenant)
  const before = isNew ? { rows: await readRows(kept), callers: [] } : left
  const isNamedKept = !(isOwn(one) || kept.includes(target))
  const namedBefore = isNamedKept ? await named(target) : null
  const { status, text } = await send(endpoint, headers, input)
  const what = `${endpoint.name} with ${name} on rows of ${target.mark}: ${text}`
  expect(status, what).toBe(expected)
  const { refusal } = row
  if (isGood(expected) && refusal !== undefined) expect(text.includes(refusal)).toBe(!isOwn(one))
  if (isNamedKept) expect(await named(target), what).toEqual(namedBefore)
  // Staging runs nothing of what dev runs.
  if (key?.tenant === target && key.environment !== 'dev' && row.sibling === undefined) {
    expect(text, what).not.toContain(target.prompt.ns)
  }
  const sent = JSON.stringify(input)
  for (const [tenant, known] of words) {
    const traces = key?.tenant === tenant ? [] : tracesIn(text, { words: known, sent })
    expect(traces, what).toEqual([])
  }
  return {
    input: isGood(expected) ? null : input,
    rows: before.rows,
    callers: [...before.callers, name],
  }
}

function expectedLoginStatus(row: LoginRow, { member, refusal }: Caller, theirs: boolean): number {
  if (member === null) return refusal
  if (rankRole(member.role) < rankRole(row.needs ?? 'viewer')) return 403
  return theirs ? 200 : row.foreign
}

const total = byKey.length * KEY_CALLERS + byLogin.length * PEOPLE

describe(`HTTP access, in a soak ${total} cases of (endpoint × caller)`, () => {
  test('every endpoint has a row with its access, and every row names an endpoint', () => {
    expect(Object.keys(ENDPOINTS).toSorted()).toEqual(endpoints.map(({ name }) => name).toSorted())
    expect(unusedHandlers()).toEqual([])
  })

  test('specs/data-plane.md names the actual scope of each endpoint', () => {
    const spec = fs.readFileSync(path.join(import.meta.dirname, '../specs/data-plane.md'), 'utf8')
    const told = [...spec.matchAll(/`(read|ingest|publish)` \(([a-z, ]+)\)/g)].flatMap(
      ([, scope, names = '']) => names.split(', ').map((name) => `${name}: ${scope}`),
    )
    const runtimes = byKey.filter(({ name }) => name.includes('/api/runtime/'))
    const held = runtimes.map(({ name, row }) => `${path.basename(name)}: ${row.needs}`)
    expect(told.toSorted()).toEqual(held.toSorted())
  })

  test.each(byKey)(
    `$name gives callers with a key the expected status, in a soak each of ${KEY_CALLERS}`,
    async ({ endpoint, row }) => {
      expect(keys).toHaveLength(KEY_CALLERS)
      let left = NOTHING_LEFT
      for (const caller of selectKeys(
        row,
        byKey.findIndex((one) => one.endpoint === endpoint),
      ))
        left = await tryKey({ endpoint, row, caller }, left)
      await expectSameRows(endpoint, left)
    },
    120_000,
  )

  test.each(byLogin)(
    `$name gives each of ${PEOPLE} callers with a login the expected status`,
    async ({ endpoint, row }) => {
      expect(people).toHaveLength(PEOPLE)
      for (const caller of people) {
        const { name, headers, member } = caller
        const input = row.input(target)
        const { status, text } = await send(endpoint, headers, input)
        const what = `${endpoint.name} as ${name} on rows of ${target.mark}: ${text.slice(0, 300)}`
        const theirs = member?.tenant === target
        expect(status, what).toBe(expectedLoginStatus(row, caller, theirs))
        const known = theirs ? new Set<string>() : (words.get(target) ?? new Set())
        expect(tracesIn(text, { words: known, sent: JSON.stringify(input) }), what).toEqual([])
      }
    },
  )
})
