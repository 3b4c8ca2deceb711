// Nonsense of every kind, sent by those who may do everything: each procedure and each endpoint refuses it or takes it, and
// never fails. Each value stands for the whole input once, and once for every field of a valid one.
import { beforeAll, describe, expect, test } from 'vitest'
import { withTestDatabase } from './db/test-database.ts'
import { PROCEDURES } from './test/access-table.ts'
import { type Call, callTrpc } from './test/callers.ts'
import type { KeyInput } from './test/endpoint-row.ts'
import { ENDPOINTS } from './test/endpoint-table.ts'
import { type Endpoint, endpointsOfTree } from './test/endpoints.ts'
import { makeKey, otherProject } from './test/installation.ts'
import { makeTenant, type Tenant } from './test/tenant.ts'
import { appRouter } from './trpc/root.ts'

withTestDatabase()

const NONSENSE: readonly unknown[] = [
  ...[undefined, null, true, false, 0, -1, 0.5, 2_147_483_648, 9_007_199_254_740_991, 1e308],
  ...[
    Number.NaN,
    Number.NEGATIVE_INFINITY,
    8_640_000_000_000_001,
    10n ** 30n,
    new Date(Number.NaN),
  ],
  ...[
    '',
    ' ',
    '\0',
    'a\0b',
    '\ud800',
    '\u{10ffff}\u202e',
    '-1',
    'null',
    '%00',
    '../..',
    "' OR 1=1 --",
  ],
  ...['x'.repeat(60), 'x'.repeat(100_000), '{"a":', '1~x', '99999999999999~\0'],
  ...[[], {}, [[]], ['\0'], [null], [1e308], { at: 1e308, id: '\0' }, { id: '\0', revision: 1 }],
  ...[{ ns: '\0', key: '\0' }, { environment: '\0' }, { code: '\0' }, new Map([[1, 2]]), /x/],
  ...[{ at: 9_007_199_254_740_991, id: 'x' }],
]

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** `value` in the place of every field of `valid` in turn, and beside them under names that inputs have. */
function* spoilt(valid: Fields, value: unknown): Generator<Fields> {
  const others = ['cursor', 'filter', 'limit', 'environment', 'from', 'text', 'expiresAt']
  for (const field of [...Object.keys(valid), ...others]) {
    yield { ...valid, [field]: value }
    const inner = valid[field]
    if (isFields(inner))
      for (const deeper of spoiltInside(inner, value)) yield { ...valid, [field]: deeper }
  }
}

function* spoiltInside(inner: Fields, value: unknown): Generator<Fields> {
  const filters = ['environment', 'prompt', 'since', 'code', 'status', 'revision', 'digest']
  for (const field of new Set([...Object.keys(inner), ...filters]))
    yield { ...inner, [field]: value }
}

let tenant: Tenant
let key: string

beforeAll(async () => {
  tenant = await makeTenant(await otherProject(), 'kestrel')
  key = await makeKey(tenant.project)
})

const procedures = Object.entries(
  // The record holds each procedure by its path; its type only hides the definition.
  appRouter._def.procedures as unknown as Readonly<
    Record<string, { readonly _def: { readonly type: Call['type'] } }>
  >,
)
  .map(([path, { _def }]) => ({ path, type: _def.type }))
  // No input, and its 503 is its answer here; the live channel has no input either and never ends.
  .filter(({ path }) => path !== 'overview.runDemo' && path !== 'live.hints')

const shown = (value: unknown): string => {
  try {
    return JSON.stringify(value)?.slice(0, 200) ?? 'undefined'
  } catch {
    return String(value)
  }
}

describe('the console, on nonsense', () => {
  test.each(procedures)(
    '$path never fails',
    async (call) => {
      const valid = (await PROCEDURES[call.path]?.input?.(tenant)) ?? {}
      const failed: string[] = []
      const attempt = async (input: unknown): Promise<void> => {
        const { status, text } = await callTrpc(tenant.people.admin.headers, { ...call, input })
        if (status >= 500) failed.push(`${status} on ${shown(input)}: ${text.slice(0, 200)}`)
      }
      for (const value of NONSENSE) {
        const isCostly = call.path === 'members.setup'
        // A password is hashed for each person that is really made, which is slow on purpose.
        const inputs = isCostly
          ? [
              { ...valid, email: value },
              { ...valid, name: value, token: 'x' },
            ]
          : spoilt({ ...valid }, value)
        await Promise.all([value, ...inputs].map(attempt))
      }
      expect(failed).toEqual([])
    },
    120_000,
  )
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

/** Where the endpoints that hold many are asked. */
const ADDRESS = {
  'GET procedures': 'http://127.0.0.1:3000/api/trpc/configs.get',
  'POST procedures': 'http://127.0.0.1:3000/api/trpc/configs.create',
  'GET accounts': 'http://127.0.0.1:3000/api/auth/get-session',
  'POST accounts': 'http://127.0.0.1:3000/api/auth/sign-in/email',
}

function addressOf(name: string, method: string): string {
  const at: Readonly<Record<string, string>> = ADDRESS
  return at[`${method} ${ENDPOINTS[name]?.door}`] ?? 'http://127.0.0.1:3000/api'
}

async function statusOf(
  { name, method, handler }: Endpoint,
  {
    body,
    headers,
    id = 'x',
    params = { id, ns: id, key: id, number: id, trpc: id, all: id },
  }: Omit<Sent, 'more'> & { readonly headers: Headers },
): Promise<number> {
  const hasBody = method !== 'GET' && method !== 'HEAD' && body !== undefined
  if (hasBody && !headers.has('content-length')) {
    headers.set('content-length', String(Buffer.byteLength(body)))
  }
  const request = new Request(
    `${addressOf(name, method)}?${name.includes('/trpc/') ? 'input' : 'after'}=${encodeURIComponent(
      Buffer.from(body ?? '')
        .toString()
        .slice(0, 9_000),
    )}`,
    {
      ...{ method, headers },
      ...(hasBody ? { body } : {}),
    },
  )
  const response = await handler(request, { params: Promise.resolve(params) })
  await response.body?.cancel()
  return response.status
}

interface Sent {
  readonly body?: string
  readonly id?: string
  /** Parameters of the address; absent: `id` for each. */
  readonly params?: Readonly<Record<string, string>>
  readonly more?: Readonly<Record<string, string>>
}

/** With everything that lets a caller in, and with the login alone. */
async function failuresOf(endpoint: Endpoint, sent: Sent): Promise<readonly string[]> {
  const failed: string[] = []
  for (const authorization of [{ authorization: `Bearer ${key}` }, {}]) {
    const headers = new Headers(tenant.people.admin.headers)
    const all = { origin: 'http://127.0.0.1:3000', ...authorization, ...sent.more }
    for (const [name, value] of Object.entries(all)) headers.set(name, value)
    const status = await statusOf(endpoint, { ...sent, headers })
    if (status >= 500) failed.push(`${status} on ${shown(sent)}`)
  }
  return failed
}

/** What the row says is right, for its address and its headers too. */
async function validFor({ name }: Endpoint): Promise<KeyInput> {
  const row = ENDPOINTS[name]
  return row?.door === 'key' ? ((await row.input?.(tenant)) ?? {}) : {}
}

function bodiesFor(right: KeyInput): readonly string[] {
  const valid: unknown = JSON.parse(right.body ?? '{}')
  const fields = isFields(valid) ? valid : {}
  const values = NONSENSE.filter((value) => typeof value !== 'bigint')
  const spoiltOnes = values.flatMap((value) => [...spoilt(fields, value)])
  return [...BODIES, ...spoiltOnes.map((input) => JSON.stringify(input))]
}

const IDS = NONSENSE.flatMap((id) => (typeof id === 'string' && !/\p{Cs}/u.test(id) ? [id] : []))

describe('HTTP, on nonsense', async () => {
  const endpoints = await endpointsOfTree()

  test.each(endpoints)(
    '$name never fails',
    async (endpoint) => {
      const failed: string[] = []
      // A key of its own, because requests are limited by key.
      key = await makeKey(tenant.project, { scopes: ['ingest', 'read', 'publish'] })
      const right = await validFor(endpoint)
      const { params, headers: more = {} } = right
      for (const body of bodiesFor(right)) {
        failed.push(...(await failuresOf(endpoint, { body, ...(params && { params }), more })))
      }
      for (const more of HEADERS) failed.push(...(await failuresOf(endpoint, { body: '{}', more })))
      for (const id of IDS) failed.push(...(await failuresOf(endpoint, { id })))
      expect(failed).toEqual([])
    },
    120_000,
  )
})
