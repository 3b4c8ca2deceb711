// An endpoint accepts or refuses invalid input and never fails. Queries and bodies are damaged where the route's schema names a position.
import { beforeAll, describe, expect, test } from 'vitest'
import { ENDPOINTS as DOCUMENTED } from '@/server/http/api.ts'
import type { Operation } from '@/server/http/operation.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { PROCEDURES } from '@/server/test/access-table.ts'
import { callTrpc } from '@/server/test/callers.ts'
import type { KeyInput } from '@/server/test/endpoint-row.ts'
import { ENDPOINTS } from '@/server/test/endpoint-table.ts'
import { allEndpoints, callEndpoint, type Endpoint } from '@/server/test/endpoints.ts'
import { makeKey, otherProject } from '@/server/test/installation.ts'
import {
  isTried,
  listPlaces,
  listValuePlaces,
  NONSENSE,
  shown,
  spoilt,
} from '@/server/test/nonsense.ts'
import { makeTenant, type Tenant } from '@/server/test/tenant.ts'

withTestDatabase()

let tenant: Tenant
let key: string

beforeAll(async () => {
  tenant = await makeTenant(await otherProject(), 'kestrel')
})

const BODIES: readonly string[] = [
  ...[
    '',
    ' ',
    '\0',
    'null',
    '[]',
    '{}',
    '0',
    '"x"',
    '{',
    '[[[[',
    '\ud800',
    'true\ntrue',
    '{"a":1}\n{',
  ],
  ...['{"json":{"__proto__":{"a":1}}}', '{"json":{},"meta":{"values":{"__proto__":["x"]}}}'],
  ...[
    '{"json":null,"meta":{"values":["Date"]}}',
    '{"json":{"ns":1},"meta":{"values":{"ns":["Date"]}}}',
  ],
  ...[
    '{"json":{"ns":"a"},"meta":{"referentialEqualities":{"a":["b.c"]},"values":{"ns":["bigint"]}}}',
  ],
  ...[
    `{"json":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
    `{"json":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}`,
  ],
  ...['['.repeat(100_000), '{"__proto__":{}}', `"${'x'.repeat(300_000)}"`, '\n'.repeat(30_000)],
]

const HEADERS: readonly Readonly<Record<string, string>>[] = [
  ...[{}, { 'content-encoding': 'gzip' }, { 'content-encoding': 'br' }, { 'content-type': 'a/b' }],
  ...[{ 'content-length': 'x' }, { 'content-length': '-1' }, { 'if-none-match': '"', range: 'x' }],
  ...[{ cookie: 'signalbox.session_token=%00' }, { cookie: '=;;=' }, { origin: 'null' }],
  ...[{ 'last-event-id': '\u00ff' }, { authorization: 'Bearer' }, { authorization: 'Basic eDp5' }],
]

const ADDRESS = {
  'GET procedures': 'http://127.0.0.1:3000/api/trpc/configs.get',
  'POST procedures': 'http://127.0.0.1:3000/api/trpc/configs.create',
  'GET accounts': 'http://127.0.0.1:3000/api/auth/get-session',
  'POST accounts': 'http://127.0.0.1:3000/api/auth/sign-in/email',
}

function pickAddress(name: string, method: string): string {
  const at: Readonly<Record<string, string>> = ADDRESS
  return at[`${method} ${ENDPOINTS[name]?.auth}`] ?? 'http://127.0.0.1:3000/api'
}

interface Sent extends KeyInput {
  readonly query?: Readonly<Record<string, string>>
  readonly id?: string
}

async function requestStatus(
  endpoint: Endpoint,
  { body, headers, query = {}, id = 'x', params }: Sent,
): Promise<number> {
  const { name, method } = endpoint
  const said = new Headers(headers)
  const hasBody = method !== 'GET' && method !== 'HEAD' && body !== undefined
  if (hasBody && !said.has('content-length')) {
    said.set('content-length', String(Buffer.byteLength(body)))
  }
  const asked = new URLSearchParams(query)
  const request = new Request(`${pickAddress(name, method)}?${asked}`, {
    method,
    headers: said,
    ...(hasBody ? { body } : {}),
  })
  const every = { id, ns: id, key: id, number: id, environment: id, trpc: id, all: id }
  const response = await callEndpoint(endpoint, request, { ...every, ...params })
  await response.body?.cancel()
  return response.status
}

/** Selects what is sent to the endpoint of this number, because endpoints share the code that reads addresses, headers and broken bodies. */
const selectShared = <Value>(values: readonly Value[], endpoint: number): readonly Value[] =>
  values.filter((_, number) => isTried(number, endpoint, 8))

async function probeEndpoint(endpoint: Endpoint, sent: Sent): Promise<readonly string[]> {
  const failed: string[] = []
  for (const authorization of [{ authorization: `Bearer ${key}` }, {}]) {
    const login = Object.fromEntries(tenant.people.admin.headers)
    const origin = { origin: 'http://127.0.0.1:3000' }
    const headers = { ...login, ...origin, ...authorization, ...sent.headers }
    const status = await requestStatus(endpoint, { ...sent, headers })
    if (status >= 500) failed.push(`${status} on ${shown(sent)}`)
  }
  return failed
}

async function validFor({ name }: Endpoint): Promise<KeyInput> {
  const row = ENDPOINTS[name]
  return row !== undefined && 'input' in row ? ((await row.input?.(tenant)) ?? {}) : {}
}

function findRoute({ name }: Endpoint): Operation | undefined {
  const documented = name.replaceAll('[', '{').replaceAll(']', '}')
  return DOCUMENTED.map(({ operation }) => operation).find(
    ({ method, path }) => `${method} ${path}` === documented,
  )
}

/** Nonsense as text, since an address holds nothing else. */
const TEXTS = [
  ...new Set(NONSENSE.flatMap((value) => (typeof value === 'symbol' ? [] : [String(value)]))),
].filter((text) => !/\p{Cs}/u.test(text) && text.length < 10_000)

function queriesFor(endpoint: Endpoint, right: KeyInput, offset: number): readonly Sent[] {
  const row = ENDPOINTS[endpoint.name]
  const consoleQuery = row?.auth === 'login' ? row.query : undefined
  const fields = Object.keys((findRoute(endpoint)?.query ?? consoleQuery)?.shape ?? {})
  // `input` is at the same position as that of a procedure.
  const names = [...fields, 'input', 'unheard_of']
  return names.flatMap((name, at) =>
    TEXTS.filter((_, number) => isTried(number, offset + at)).map((text) => ({
      ...right,
      query: { [name]: text },
    })),
  )
}

function bodiesFor(endpoint: Endpoint, right: KeyInput, offset: number): readonly Sent[] {
  if (endpoint.method === 'GET' || endpoint.method === 'HEAD') return []
  const valid: unknown = JSON.parse(right.body ?? '{}')
  const schema = findRoute(endpoint)?.body?.schema
  const places = schema === undefined ? listValuePlaces(valid) : listPlaces(schema)
  const values = NONSENSE.filter((value) => typeof value !== 'bigint')
  const inputs = values.flatMap((value, number) =>
    places
      .filter((_, at) => isTried(number, offset + at))
      .map((place) => spoilt(valid, place, value)),
  )
  const bodies = [...selectShared(BODIES, offset), ...inputs.map((input) => JSON.stringify(input))]
  return bodies.map((body) => ({ ...right, body }))
}

const READ_AFTERWARDS = ['configs.list', 'configs.get', 'drafts.open', 'runtimes.page']

describe('HTTP with invalid input', async () => {
  const endpoints = await allEndpoints()

  test.each(endpoints)(
    '$name never fails with a server error',
    async (endpoint) => {
      const at = endpoints.indexOf(endpoint)
      // A separate key, because requests are limited by key.
      key = await makeKey(tenant.project, { scopes: ['ingest', 'read', 'publish'] })
      const right = await validFor(endpoint)
      const sent: readonly Sent[] = [
        ...queriesFor(endpoint, right, at),
        ...bodiesFor(endpoint, right, at),
        ...selectShared(HEADERS, at).map((headers) => ({ headers, body: '{}' })),
        ...(endpoint.name.includes('[') ? selectShared(TEXTS, at).map((id) => ({ id })) : []),
      ]
      const failed: string[] = []
      for (const one of sent) failed.push(...(await probeEndpoint(endpoint, one)))
      expect(failed).toEqual([])
    },
    120_000,
  )

  test('no damaged request leaves data that breaks later reads', async () => {
    const { headers } = tenant.people.admin
    const answers = READ_AFTERWARDS.map(async (path) => {
      const input = await PROCEDURES[path]?.input?.(tenant)
      const { status } = await callTrpc(headers, { path, type: 'query', input })
      return [path, status]
    })
    expect(await Promise.all(answers)).toEqual(READ_AFTERWARDS.map((path) => [path, 200]))
  })
})
