// Every procedure of the console, tried by every role of two tenants, by publishers of one environment and by strangers, on the
// rows of one tenant (server/test/access-table.ts says what must come of it): the answer's status, nothing of another tenant in it,
// and no row of another tenant changed. Both tenants are made alike, so the rows of the other one would tell the same. A procedure without
// a row in the table fails.
import { beforeAll, describe, expect, test } from 'vitest'
import { withTestDatabase } from './db/test-database.ts'
import { PROCEDURES, type ProcedureRow } from './test/access-table.ts'
import { type Call, type Caller, callTrpc, everybody, STRANGERS } from './test/callers.ts'
import { otherProject } from './test/installation.ts'
import { MEMBERS, makeTenant, ROLES, type Tenant } from './test/tenant.ts'
import { rowsOf, tracesIn, wordsOf } from './test/traces.ts'
import { appRouter } from './trpc/root.ts'

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
/** Whose rows are asked for. */
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

function expectedOf(row: ProcedureRow, caller: Caller): number {
  const { needs, passes = 200, foreign } = row
  if (needs === 'anyone') return passes
  // An outsider is signed in.
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
  /** The input made anew right before the call, because a call before may have taken away what it names. */
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

async function casesOf(call: Call, row: ProcedureRow): Promise<readonly Case[]> {
  const cases: Case[] = []
  const shared = await row.input?.(target)
  for (const caller of callers) {
    const expected = expectedOf(row, caller)
    const isAllowed = expected === (row.passes ?? 200)
    const changes = isAllowed && call.type === 'mutation'
    const isOwn = caller.member?.tenant === target
    const input = changes && !isOwn ? await row.input?.(target) : shared
    const renew = changes && isOwn && row.input !== undefined ? { renew: row.input } : {}
    cases.push({ caller, expected, call: { ...call, input }, ...renew })
  }
  return cases
}

type Rows = Awaited<ReturnType<typeof rowsOf>>

const rowsOfEach = (kept: readonly Tenant[]): Promise<readonly Rows[]> =>
  Promise.all(kept.map(({ project }) => rowsOf(project.projectId)))

async function wordsOfTenants(): Promise<Words> {
  return new Map(
    await Promise.all(tenants.map(async (tenant) => [tenant, await wordsOf(tenant)] as const)),
  )
}

/** Runs the cases; the rows of `kept` must come out as they went in. */
async function keeping(
  kept: readonly Tenant[],
  { cases, words }: { readonly cases: readonly Case[]; readonly words: Words },
): Promise<void> {
  const before = await rowsOfEach(kept)
  for (const one of cases) await attempt(one, words)
  expect(await rowsOfEach(kept)).toEqual(before)
}

describe(`the console, ${rows.length * CALLERS} cases of (procedure × caller)`, () => {
  test('every procedure has a row that says who may call it, and every row a procedure', () => {
    expect(Object.keys(PROCEDURES).toSorted()).toEqual(rows.map(({ path }) => path).toSorted())
  })

  describe('questions', () => {
    const questions = rows.filter(({ type }) => type === 'query')
    const casesOfPath = new Map<string, readonly Case[]>()
    let words: Words
    let before: readonly Rows[]

    // What they ask about is made beforehand, so that one look before and one after tell whether any of them changed a row.
    beforeAll(async () => {
      for (const { path, type, row } of questions)
        if (row !== undefined) casesOfPath.set(path, await casesOf({ path, type }, row))
      words = await wordsOfTenants()
      before = await rowsOfEach(tenants)
    })

    test.each(questions)(`$path: ${CALLERS} cases`, async ({ path }) => {
      const cases = casesOfPath.get(path)
      expect(cases, 'It has no row in server/test/access-table.ts.').toHaveLength(CALLERS)
      for (const one of cases ?? []) await attempt(one, words)
    })

    test('who asked changed nothing, not even what is theirs', async () => {
      expect(await rowsOfEach(tenants)).toEqual(before)
    })
  })

  test.each(rows.filter(({ type }) => type !== 'query'))(
    `$path: ${CALLERS} cases`,
    async ({ path, type, row }) => {
      if (row === undefined) throw new Error('It has no row in server/test/access-table.ts.')
      const cases = await casesOf({ path, type }, row)
      expect(cases).toHaveLength(CALLERS)
      const words = await wordsOfTenants()
      const passes = row.passes ?? 200
      const isOpen = row.needs === 'anyone' || row.needs === 'user'
      const refused = cases.filter(({ expected }) => isOpen || expected !== passes)
      await keeping(tenants, { cases: refused, words })
      for (const tenant of isOpen ? [] : tenants) {
        const mine = cases.filter(
          ({ caller, expected }) => caller.member?.tenant === tenant && expected === passes,
        )
        const others = tenants.filter((other) => other !== tenant)
        await keeping(others, { cases: mine, words })
      }
    },
  )
})
