// Each answer must have the expected status, contain nothing of another tenant, and change no row of another tenant. A procedure without a
// row in server/test/access-table.ts fails. A soak makes all calls; `npm test` makes those at the limits of access (selectCases).
import { beforeAll, describe, expect, test } from 'vitest'
import { IS_SOAK } from '@/scripts/soak-sample.mjs'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { PROCEDURES, type ProcedureRow } from '@/server/test/access-table.ts'
import { type Call, type Caller, callTrpc, everybody, STRANGERS } from '@/server/test/callers.ts'
import { otherProject } from '@/server/test/installation.ts'
import { MEMBERS, makeTenant, ROLES, type Tenant } from '@/server/test/tenant.ts'
import { collectWords, fingerprintRows, tracesIn } from '@/server/test/traces.ts'
import { appRouter } from '@/server/trpc/root.ts'

withTestDatabase()

const TENANTS = 2
const CALLERS = MEMBERS * TENANTS + STRANGERS.length

// The record holds each procedure by its path; its type only hides the definition.
const procedures = appRouter._def.procedures as unknown as Readonly<
  Record<string, { readonly _def: { readonly type: Call['type'] } }>
>
const rows = Object.entries(procedures).map(([path, { _def }]) => ({
  path,
  type: _def.type,
  row: PROCEDURES[path],
}))

let tenants: readonly Tenant[]
let target: Tenant
let callers: readonly Caller[]

beforeAll(async () => {
  const first = await makeTenant(await otherProject(), 'kestrel')
  const second = await makeTenant(await otherProject(), 'plover')
  tenants = [first, second]
  target = first
  callers = await everybody(first, second)
  // An expired login is deleted the first time that it is seen.
  for (const { headers } of callers) await callTrpc(headers, { path: 'members.me', type: 'query' })
})

function expectAccessStatus(row: ProcedureRow, caller: Caller): number {
  const { needs, passes = 200, foreign } = row
  if (needs === 'anyone') return passes
  if (needs === 'user') return caller.refusal === 401 ? 401 : passes
  if (caller.member === null) return caller.refusal
  const { role, tenant, publishIn } = caller.member
  if (ROLES.indexOf(role) < ROLES.indexOf(needs)) return 403
  if (row.placeInRow === true && tenant !== target) return foreign
  const place = row.releasesTo
  if (place !== undefined && publishIn !== null && !publishIn.includes(place)) return 403
  if (tenant === target || foreign === 200) return passes
  return foreign
}

interface Case {
  readonly caller: Caller
  readonly expected: number
  readonly call: Call
  /** Makes the input right before the call, because an earlier call may have consumed what it names. */
  readonly renew?: ProcedureRow['input']
}

type Words = ReadonlyMap<Tenant, ReadonlySet<string>>

async function attempt(one: Case, known: Words): Promise<void> {
  const { caller, expected, renew } = one
  const input = renew === undefined ? one.call.input : await renew(target)
  const call = { ...one.call, input }
  const { status, text } = await callTrpc(caller.headers, call)
  const what = `${call.path} as ${caller.name} on rows of ${target.mark}: ${text.slice(0, 300)}`
  expect(status, what).toBe(expected)
  if (expected === 200) expect(text, what).not.toContain('"ok":false')
  const sent = JSON.stringify(call.input ?? '')
  for (const [tenant, words] of known) {
    if (caller.member?.tenant !== tenant) expect(tracesIn(text, { words, sent }), what).toEqual([])
  }
}

interface Procedure {
  readonly path: string
  readonly type: Call['type']
  readonly row: ProcedureRow
}

const isOpen = ({ needs }: ProcedureRow): boolean => needs === 'anyone' || needs === 'user'

const changes = ({ type, row }: Procedure, { expected }: Case): boolean =>
  type === 'mutation' && !isOpen(row) && expected === (row.passes ?? 200)

async function buildAccessCases(procedure: Procedure): Promise<readonly Case[]> {
  const { path, type, row } = procedure
  const shared = await row.input?.(target)
  return callers.map((caller): Case => {
    const one = {
      caller,
      expected: expectAccessStatus(row, caller),
      call: { path, type, input: shared },
    }
    return changes(procedure, one) && row.input !== undefined ? { ...one, renew: row.input } : one
  })
}

/** Selects the calls at the limits of a procedure's access. Each other caller is tried at every twelfth procedure. */
function selectCases({ path, row }: Procedure, cases: readonly Case[]): readonly Case[] {
  if (IS_SOAK) return cases
  const at = rows.findIndex((one) => one.path === path)
  const [outsider, ...signedOut] = STRANGERS
  const strangers: readonly string[] = [outsider, ...signedOut.filter((_, i) => i === at % 4)]
  const own = cases.filter(({ caller: { member } }) => member?.tenant === target)
  const roles = own.filter(({ caller: { member } }) => member?.publishIn === null)
  const always = new Set([
    roles.find(({ expected }) => expected === (row.passes ?? 200)),
    roles.findLast(({ expected }) => expected === 403),
    ...(row.releasesTo === undefined ? [] : own.filter((one) => !roles.includes(one))),
    ...cases.filter(
      ({ caller: { name, member } }) =>
        strangers.includes(name) || (member?.tenant !== target && member?.role === 'admin'),
    ),
  ])
  return cases.filter((one, number) => always.has(one) || (at + number) % 12 === 0)
}

const fingerprintEach = (kept: readonly Tenant[]) =>
  Promise.all(kept.map(({ project }) => fingerprintRows(project.projectId)))

async function collectTenantWords(): Promise<Words> {
  return new Map(
    await Promise.all(tenants.map(async (tenant) => [tenant, await collectWords(tenant)] as const)),
  )
}

/** The input of a stranger's call names rows of the target, so that it is made before the target's rows are read. */
async function prepared({ renew, ...one }: Case): Promise<Case> {
  if (renew === undefined) return one
  if (one.caller.member?.tenant === target) return { ...one, renew }
  return { ...one, call: { ...one.call, input: await renew(target) } }
}

const all: readonly Procedure[] = rows.flatMap(({ row, ...rest }) =>
  row === undefined ? [] : [{ ...rest, row }],
)
const casesByPath = new Map<string, readonly Case[]>()

/** A call that changes rows of `kept` fails the last test; run its procedure alone (`-t`) to find it. */
function keeping(
  kept: () => readonly Tenant[],
  procedures: readonly Procedure[],
  select: (procedure: Procedure, one: Case) => boolean,
): void {
  const selected = new Map<string, Case[]>()
  let words: Words
  let before: Awaited<ReturnType<typeof fingerprintEach>>

  beforeAll(async () => {
    for (const procedure of procedures) {
      const cases = casesByPath.get(procedure.path) ?? []
      expect(cases, procedure.path).toHaveLength(CALLERS)
      const chosen = selectCases(procedure, cases).filter((one) => select(procedure, one))
      const ready = chosen.map(prepared)
      selected.set(procedure.path, await Promise.all(ready))
    }
    words = await collectTenantWords()
    before = await fingerprintEach(kept())
  })

  test.each(procedures)('$path', async ({ path }) => {
    for (const one of selected.get(path) ?? []) await attempt(one, words)
  })

  test('no call changes a protected row', async () => {
    expect(await fingerprintEach(kept())).toEqual(before)
  })
}

describe(`console access of ${CALLERS} callers to ${rows.length} procedures`, () => {
  test('every procedure has an access row, and every row names a procedure', () => {
    expect(Object.keys(PROCEDURES).toSorted()).toEqual(rows.map(({ path }) => path).toSorted())
  })

  describe('queries and refused mutations give each caller the expected status', () => {
    beforeAll(async () => {
      for (const procedure of all)
        casesByPath.set(procedure.path, await buildAccessCases(procedure))
    })

    keeping(
      () => tenants,
      all,
      (procedure, one) => !changes(procedure, one),
    )
  })

  const mutations = all.filter(({ type, row }) => type === 'mutation' && !isOpen(row))
  describe.each([0, 1])(
    'a mutation by members of tenant %i leaves the other tenant unchanged',
    (own) => {
      keeping(
        () => tenants.filter((_, index) => index !== own),
        mutations,
        (procedure, one) => one.caller.member?.tenant === tenants[own] && changes(procedure, one),
      )
    },
  )
})
