import path from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, test } from 'vitest'
import { ENDPOINTS } from '@/server/test/endpoint-table.ts'
import { allEndpoints } from '@/server/test/endpoints.ts'
import { api, ENDPOINTS as DOCUMENTED, openapiDocument, openapiText } from './api.ts'
import { operationId, PARAMETERS } from './operation.ts'

const OPERATIONS = DOCUMENTED.map(({ operation }) => operation)

/** Endpoints that are not in the OpenAPI document: the console's own, and those of operators (docs/operations/monitor.md). */
const CONSOLE_ONLY = [
  '/api/auth/',
  '/api/trpc/',
  '/api/export/',
  '/api/import/',
  '/docs/',
  '/open',
  '/packages/',
  '/schemas/',
  '/livez',
  '/readyz',
  '/metrics',
]

const FILE = path.join(import.meta.dirname, '../../specs/openapi.json')

test('the API document is valid OpenAPI 3.1', async () => {
  const result = await new Validator().validate(JSON.parse(openapiText()))
  expect(result).toMatchObject({ valid: true })
})

test('specs/openapi.json is the served document (npx vitest run --project unit server/http/api.test.ts --update)', async () => {
  await expect(openapiText()).toMatchFileSnapshot(FILE)
})

test('the API document has every endpoint except those of the console and of operators, and no other', async () => {
  const found = (await allEndpoints())
    .map(({ name }) => name.replaceAll(/\[(?:\.\.\.)?(\w+)\]/g, '{$1}'))
    .filter((name) => !CONSOLE_ONLY.some((folder) => name.includes(` ${folder}`)))
  const told = OPERATIONS.map(({ method, path: address }) => `${method} ${address}`)
  expect(told.toSorted()).toEqual(found.toSorted())
})

test('the scopes in the API document are those that the endpoint matrix proves', () => {
  for (const { method, path: address, scope } of OPERATIONS) {
    const name = `${method} ${address.replaceAll(/\{(\w+)\}/g, '[$1]')}`
    const row = ENDPOINTS[name]
    expect([name, row?.auth === 'key' ? row.needs : null]).toEqual([name, scope])
  }
})

test('the operation ids in the API document are unique', () => {
  const ids = OPERATIONS.map(operationId)
  expect(new Set(ids).size).toBe(ids.length)
})

const examples = OPERATIONS.flatMap(({ method, path: address, body, answers }) => [
  ...(body === undefined ? [] : [{ name: `${method} ${address}`, ...body }]),
  ...Object.entries(answers).flatMap(([status, { schema, example }]) =>
    schema === undefined ? [] : [{ name: `${method} ${address} ${status}`, schema, example }],
  ),
])

describe('examples in the API document', () => {
  test.each(examples)('examples in the API document are valid for $name', ({ schema, example }) => {
    expect(schema.safeParse(example)).toMatchObject({ success: true })
  })

  test.each(Object.entries(PARAMETERS))(
    'are valid for the parameter %s',
    (_name, { schema, example }) => {
      expect(schema.safeParse(example)).toMatchObject({ success: true })
    },
  )
})

test('the API document contains no secret and no path of this machine', () => {
  const told = JSON.stringify(openapiDocument())
  expect(told).not.toMatch(/sbx_[A-Za-z0-9]{8}_/)
  expect(told).not.toContain('/home/')
})

describe('an address of the API', () => {
  const ask = (method: string, path: string) =>
    api.fetch(new Request(`http://127.0.0.1:3000${path}`, { method }))

  test('that does not exist is answered with 404 and a problem', async () => {
    const response = await ask('GET', '/api/manage/v2/configs')
    expect(response.status).toBe(404)
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    expect(await response.json()).toMatchObject({ status: 404, title: 'Not found' })
  })

  test('that does not accept the method is answered with 405 and the accepted methods', async () => {
    const response = await ask('DELETE', '/api/manage/v1/configs')
    expect([response.status, response.headers.get('allow')]).toEqual([
      405,
      'GET, POST, HEAD, OPTIONS',
    ])
  })

  test('lists its methods for OPTIONS', async () => {
    const response = await ask('OPTIONS', '/api/runtime/v1/events')
    expect([response.status, response.headers.get('allow')]).toEqual([204, 'POST, OPTIONS'])
  })

  test('that accepts GET answers HEAD with the same headers and no body', async () => {
    const [head, get] = await Promise.all([
      ask('HEAD', '/api/manage/v1/configs'),
      ask('GET', '/api/manage/v1/configs'),
    ])
    expect([head.status, await head.text()]).toEqual([401, ''])
    expect([...head.headers]).toEqual([...get.headers])
  })
})
