// A procedure accepts or refuses invalid input and never fails. Each value replaces the whole input once, and the values at positions that
// the input's schema names. Inputs that the schemas refuse are tested on the schemas alone, except one for each procedure.
import { beforeAll, describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { PROCEDURES } from '@/server/test/access-table.ts'
import { type Call, callTrpc } from '@/server/test/callers.ts'
import { otherProject } from '@/server/test/installation.ts'
import { isTaken, isTried, listPlaces, NONSENSE, shown, spoilt } from '@/server/test/nonsense.ts'
import { makeTenant, type Tenant } from '@/server/test/tenant.ts'
import { appRouter } from '@/server/trpc/root.ts'

withTestDatabase()

let tenant: Tenant

beforeAll(async () => {
  tenant = await makeTenant(await otherProject(), 'kestrel')
})

interface Definition {
  readonly type: Call['type']
  /** Empty for a procedure without input. */
  readonly inputs: readonly z.ZodType[]
}

const procedures = Object.entries(
  // The record holds each procedure by its path; its type only hides the definition.
  appRouter._def.procedures as unknown as Readonly<Record<string, { readonly _def: Definition }>>,
)
  .map(([path, { _def }]) => ({ path, type: _def.type, schemas: _def.inputs }))
  // `demo.run` answers 503 here, and the live channel never ends.
  .filter(({ path }) => path !== 'demo.run' && path !== 'live.notifications')
  // Last, because it deletes the project when an invalid value equals the current name of the project.
  .toSorted((a, b) => Number(a.path === 'projects.delete') - Number(b.path === 'projects.delete'))

/** Endpoints that need a new user for each valid input: a password is hashed, which is slow on purpose. */
const COSTLY: Readonly<Record<string, readonly string[]>> = { 'members.setup': ['email', 'token'] }

describe('console procedures with invalid input', () => {
  test.each(procedures)(
    '$path never fails with a server error',
    async ({ schemas, ...call }) => {
      const offset = procedures.findIndex(({ path }) => path === call.path)
      const valid = await PROCEDURES[call.path]?.input?.(tenant)
      const few = COSTLY[call.path]
      const places = schemas
        .flatMap(listPlaces)
        .filter(([name = '']) => few === undefined || few.includes(String(name)))
      const failed: string[] = []
      const attempt = async (input: unknown): Promise<void> => {
        const { status, text } = await callTrpc(tenant.people.admin.headers, { ...call, input })
        if (status >= 500) failed.push(`${status} on ${shown(input)}: ${text.slice(0, 200)}`)
      }
      for (const [number, value] of NONSENSE.entries()) {
        const tried = places.filter((_, at) => isTried(number, offset + at))
        // A procedure without a schema does not read its input, so that a few values suffice.
        const whole = schemas.length > 0 || isTried(number, offset, 8) ? [value] : []
        const inputs = [...whole, ...tried.map((place) => spoilt(valid, place, value))]
        await Promise.all(inputs.filter((input) => isTaken(schemas, input)).map(attempt))
      }
      await attempt(NONSENSE.find((value) => !isTaken(schemas, value)))
      expect(failed).toEqual([])
    },
    120_000,
  )
})
