// The document is whole, valid, current, and every example in it has the form that it is an example of.
import path from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, test } from 'vitest'
import { ENDPOINTS } from '@/server/test/endpoint-table.ts'
import { endpointsOfTree } from '@/server/test/endpoints.ts'
import { PARAMETERS } from './api-route.ts'
import { API_ROUTES, CONSOLE_ONLY } from './api-routes.ts'
import { openapiDocument, openapiText, operationId } from './openapi-document.ts'

const FILE = path.join(import.meta.dirname, '../../../specs/openapi.json')

test('is a valid OpenAPI 3.1 document', async () => {
  const result = await new Validator().validate(JSON.parse(openapiText()))
  expect(result).toMatchObject({ valid: true })
})

test('specs/openapi.json is what is served (npx vitest run --project unit openapi-document --update)', async () => {
  await expect(openapiText()).toMatchFileSnapshot(FILE)
})

test('contains exactly the routes of app/api that are not the console’s own', async () => {
  const found = (await endpointsOfTree())
    .map(({ name }) => name.replaceAll(/\[(?:\.\.\.)?(\w+)\]/g, '{$1}'))
    .filter((name) => !CONSOLE_ONLY.some((folder) => name.includes(` ${folder}`)))
  const told = API_ROUTES.map(({ method, path: address }) => `${method} ${address}`)
  expect(told.toSorted()).toEqual(found.toSorted())
})

test('documents the scopes that the endpoint matrix proves', () => {
  for (const { method, path: address, scope } of API_ROUTES) {
    const name = `${method} ${address.replaceAll(/\{(\w+)\}/g, '[$1]')}`
    const row = ENDPOINTS[name]
    expect([name, row?.door === 'key' ? row.needs : null]).toEqual([name, scope])
  }
})

test('has unique operation names', () => {
  const ids = API_ROUTES.map(operationId)
  expect(new Set(ids).size).toBe(ids.length)
})

const examples = API_ROUTES.flatMap(({ method, path: address, body, answers }) => [
  ...(body === undefined ? [] : [{ name: `${method} ${address}`, ...body }]),
  ...Object.entries(answers).flatMap(([status, { schema, example }]) =>
    schema === undefined ? [] : [{ name: `${method} ${address} ${status}`, schema, example }],
  ),
])

describe('examples', () => {
  test.each(examples)('the example of $name is valid', ({ schema, example }) => {
    expect(schema.safeParse(example)).toMatchObject({ success: true })
  })

  test.each(Object.entries(PARAMETERS))(
    'the example of the parameter %s is valid',
    (_name, { schema, example }) => {
      expect(schema.safeParse(example)).toMatchObject({ success: true })
    },
  )
})

test('contains no secret and no path of this machine', () => {
  const told = JSON.stringify(openapiDocument())
  expect(told).not.toMatch(/sbx_[A-Za-z0-9]{8}_/)
  expect(told).not.toContain('/home/')
})
