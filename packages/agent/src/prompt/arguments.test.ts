import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import { describe, expect, test } from 'vitest'
import * as z from 'zod/v4'
import { findJsonSchema, parseArguments } from './arguments.ts'

const Inner = z.object({
  deep: z.object({ a: z.number() }),
  list: z.array(z.object({ b: z.string() })),
})

const keeping: StandardSchemaV1 & StandardJSONSchemaV1 = {
  '~standard': {
    version: 1,
    vendor: 'own',
    validate: (value) => ({ value }),
    jsonSchema: {
      input: () => ({ type: 'object', properties: {} }),
      output: () => ({ type: 'object', properties: {} }),
    },
  },
}

describe('arguments of a tool', () => {
  test.each<[string, StandardSchemaV1, unknown, readonly string[]]>([
    ['an object of a strict schema', z.strictObject({ a: z.number() }), { a: 1, b: 2 }, ['b']],
    ['an object whose schema would drop it', z.object({ a: z.number() }), { a: 1, b: 2 }, ['b']],
    ['a nested object', Inner, { deep: { a: 1, x: 1 }, list: [] }, ['deep.x']],
    ['an entry of a list', Inner, { deep: { a: 1 }, list: [{ b: '', y: 1 }] }, ['list.0.y']],
  ])(
    'with an unknown name in %s are rejected with that name',
    async (...[, schema, args, names]) => {
      const parsed = await parseArguments(schema, args)
      expect(parsed.ok).toBe(false)
      for (const name of names) expect(JSON.stringify(parsed)).toContain(name)
    },
  )

  test.each<[string, StandardSchemaV1, unknown, unknown]>([
    ['allows any name', z.looseObject({ a: z.number() }), { a: 1, b: 2 }, { a: 1, b: 2 }],
    ['allows any name by a rule', z.object({}).catchall(z.number()), { b: 2 }, { b: 2 }],
    [
      'renames a name that it lists',
      z.object({ a: z.number() }).transform(({ a }) => ({ b: a })),
      { a: 1 },
      { b: 1 },
    ],
    [
      'drops a name that it allows by a rule',
      z.looseObject({ a: z.number() }).transform(({ a }) => ({ a })),
      { a: 1, b: 2 },
      { a: 1 },
    ],
    ['keeps a name that it does not list', keeping, { a: 1 }, { a: 1 }],
    ['fills in a missing value', z.object({ a: z.number().default(3) }), {}, { a: 3 }],
    [
      'is a union of several schemas',
      z.union([z.object({ a: z.number() }), z.object({ b: z.string() })]),
      { b: 'x' },
      { b: 'x' },
    ],
  ])('are accepted for a schema that %s', async (...[, schema, args, params]) => {
    expect(await parseArguments(schema, args)).toEqual({ ok: true, params })
  })

  test('arguments of a tool are refused with the position and the reason', async () => {
    const schema = z.strictObject({ at: z.strictObject({ line: z.int('Give a whole number.') }) })
    expect(await parseArguments(schema, { at: { line: 'x' } })).toEqual({
      ok: false,
      reason: "'at.line': Give a whole number.",
    })
  })

  test('work with a schema of any library, even an asynchronous one without a description', async () => {
    const even: StandardSchemaV1<unknown, number> = {
      '~standard': {
        version: 1,
        vendor: 'own',
        validate: async (value) =>
          typeof value === 'number' && value % 2 === 0
            ? { value }
            : { issues: [{ message: 'Not even.', path: [{ key: 'n' }] }] },
      },
    }
    expect(await parseArguments(even, 2)).toEqual({ ok: true, params: 2 })
    expect(await parseArguments(even, 3)).toEqual({ ok: false, reason: "'n': Not even." })
    expect(findJsonSchema(even)).toBeNull()
  })

  test('arguments of a tool are described to the model by the schema', () => {
    expect(findJsonSchema(z.strictObject({ a: z.number() }))).toMatchObject({
      type: 'object',
      properties: { a: { type: 'number' } },
      additionalProperties: false,
    })
    expect(findJsonSchema(z.object({ at: z.date() }))).toBeNull()
  })
})
