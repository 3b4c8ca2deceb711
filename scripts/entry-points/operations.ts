// Answers are validated against the schemas of specs/openapi.json.
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import {
  type Answer,
  CASES,
  DOCUMENT,
  elsewhere,
  OPERATIONS,
  type Operation,
  type Sent,
  send,
  TOO_LITTLE,
  type Variation,
} from './operation-cases.mjs'
import type { ShippedProduct } from './shipped-product.ts'

/** Tested beside their code: 429 needs minutes of requests, and the database of this product is always reachable. */
const NOT_ASKED = [429, 503]

interface Row {
  readonly column: 'good' | 'bad' | 'no key' | 'low scope' | 'also'
  readonly status: number
  readonly operation: Operation
  readonly sent: Variation
  /** Absent: the problem need not name a field. */
  readonly pointer?: string
}

const same: Variation = (sent) => sent

function buildOperationRows(operation: Operation): readonly Row[] {
  const { id, scope, statuses } = operation
  const known = CASES[id]
  if (known === undefined) return []
  const { bad, also = {} } = known
  const good = statuses.find((status) => status < 300) ?? 200
  const others = Object.entries(also).map(([status, sent]) => ({ status: Number(status), sent }))
  const hasNotFound = statuses.includes(404) && also[404] === undefined
  const further = [...others, ...(hasNotFound ? [{ status: 404, sent: elsewhere }] : [])]
  // An operation without query and body can only have a wrong address or encoding.
  const wrong = bad === undefined ? further.find(({ status }) => [400, 404].includes(status)) : null
  const common = { operation }
  return [
    { ...common, column: 'good', status: good, sent: same },
    ...(bad === undefined ? [] : [{ ...common, column: 'bad', status: 422, ...bad } as const]),
    ...(wrong ? [{ ...common, column: 'bad', ...wrong } as const] : []),
    ...(scope === null
      ? []
      : ([
          { ...common, column: 'no key', status: 401, sent: same },
          { ...common, column: 'low scope', status: 403, sent: same },
        ] as const)),
    ...further
      .filter((one) => one !== wrong)
      .map((one) => ({ ...common, column: 'also', ...one }) as const),
  ]
}

function formatTitle({ operation: { method, path }, column, status }: Row): string {
  return `${method} ${path} · ${column}: ${status}`
}

const ROWS = OPERATIONS.flatMap(buildOperationRows)

const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false })
ajv.addSchema(DOCUMENT, 'document')

function expectForm(value: unknown, place: readonly string[]): void {
  const steps = place.map((step) =>
    encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1')),
  )
  const validate = ajv.compile({ $ref: `document#/${steps.join('/')}` })
  validate(value)
  expect(validate.errors ?? [], place.join(' ')).toEqual([])
}

interface Described {
  readonly $ref?: string
  readonly headers?: Readonly<Record<string, unknown>>
  readonly content?: Readonly<Record<string, unknown>>
}

function expectDocumented({ method, path, statuses }: Operation, answer: Answer): void {
  const { status, headers, text, json } = answer
  expect(statuses, text).toContain(status)
  const own = ['paths', path, method.toLowerCase(), 'responses', String(status)]
  const { $ref } = DOCUMENT.paths[path][method.toLowerCase()].responses[status] as Described
  const place = $ref === undefined ? own : $ref.slice(2).split('/')
  const response: Described = place.reduce((at, step) => at[step], DOCUMENT)
  for (const name of Object.keys(response.headers ?? {}))
    expect([...headers.keys()]).toContain(name.toLowerCase())
  const [type] = Object.keys(response.content ?? {})
  if (type === undefined) {
    expect(text).toBe('')
    return
  }
  expect(headers.get('content-type')).toMatch(new RegExp(`^${type.replace('+', '\\+')}(;|$)`))
  expectForm(type.endsWith('json') ? json : text, [...place, 'content', type, 'schema'])
}

export function describeOperations(shipped: () => ShippedProduct): void {
  const goods = new Map<string, Promise<{ readonly sent: Sent; readonly answer: Answer }>>()

  async function sendGood(operation: Operation) {
    const { product, url } = shipped()
    const { id, scope } = operation
    const sent = (await CASES[id]?.good(product)) ?? {}
    const key = scope === null ? null : await product.keyFor(operation, sent)
    return { sent, answer: await send(url, operation, { sent, key }) }
  }

  /** Sends the valid request once; the other requests derive from it. */
  function good(operation: Operation) {
    const known = goods.get(operation.id) ?? sendGood(operation)
    goods.set(operation.id, known)
    return known
  }

  async function keyFor({ column, operation }: Row, sent: Sent): Promise<string | null> {
    const { scope } = operation
    if (scope === null || column === 'no key') return null
    const { product } = shipped()
    return column === 'low scope'
      ? await product.key({ scopes: TOO_LITTLE[scope] })
      : await product.keyFor(operation, sent)
  }

  async function ask(row: Row): Promise<Answer> {
    const { sent, answer } = await good(row.operation)
    if (row.column === 'good') return answer
    const varied = await row.sent(sent, answer)
    const key = await keyFor(row, varied)
    return await send(shipped().url, row.operation, { sent: varied, key })
  }

  describe(`${OPERATIONS.length} operations over HTTP`, () => {
    test('every operation of the document has a case, and every case an operation', () => {
      expect(Object.keys(CASES).toSorted()).toEqual(OPERATIONS.map(({ id }) => id).toSorted())
    })

    test('every documented status has a request', () => {
      for (const { id, statuses } of OPERATIONS) {
        const asked = ROWS.filter(({ operation }) => operation.id === id).map((row) => row.status)
        const named = statuses.filter((status) => !NOT_ASKED.includes(status))
        expect([id, [...new Set(asked)].toSorted()]).toEqual([id, named.toSorted()])
      }
    })

    test.each(ROWS.map((row) => [formatTitle(row), row] as const))('%s', async (_, row) => {
      const { operation, status, pointer } = row
      const answer = await ask(row)
      expect(answer.status, answer.text).toBe(status)
      expectDocumented(operation, answer)
      if (pointer !== undefined) {
        const pointers = answer.json.errors.map((error: { pointer?: string }) => error.pointer)
        expect(pointers).toContain(pointer)
      }
    })

    test('accepted bodies have the documented form', async () => {
      for (const operation of OPERATIONS) {
        const { path, method, contentType } = operation
        if (contentType === null) continue
        const { sent } = await good(operation)
        const place = ['paths', path, method.toLowerCase(), 'requestBody', 'content']
        expectForm(sent.body, [...place, contentType, 'schema'])
      }
    })
  })
}
