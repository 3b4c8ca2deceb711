// @ts-check
// npm run soak -- --requests 22000 [--seed 1]: starts a product and sends it valid requests of every operation
// (scripts/entry-points/operation-cases.mjs), each damaged in one part. None may be answered with 500 or more, and valid requests in
// between succeed.
import { setTimeout as delay } from 'node:timers/promises'
import fc from 'fast-check'
import {
  CASES,
  DOCUMENT,
  ManagedProduct,
  OPERATIONS,
} from '../../scripts/entry-points/operation-cases.mjs'
import { measureWeb, signedIn, startProduct } from '../product.mjs'
import { edit, edited } from './cases.mjs'

/** @typedef {import('../../scripts/entry-points/operation-cases.mjs').Operation} Operation */
/** @typedef {import('../../scripts/entry-points/operation-cases.mjs').Sent} Sent */
/** @typedef {import('./cases.mjs').Edit} Edit */

const PORT = 4380
const TOGETHER = 4
/** Number of damaged requests per valid request, because most valid requests change data and succeed only once. */
const USES = 20
/** Number of damaged requests after which a valid one is sent. */
const BETWEEN = 25
/** Number of requests after which keys are replaced; a key may send 1,200 per minute. */
const MOST_OF_KEY = 400
/** Limit for an address and for headers; Node.js accepts 16 KiB for both together. */
const MOST_CHARACTERS = 4000
const MOST_BUSY_MS = 120_000

/** @typedef {'body' | 'query' | 'path' | 'header'} Part */
/** @typedef {{ operation: Operation, part: Part, name: string, edits: readonly Edit[] }} Harm */

/** @param {Operation} operation @param {string} place @returns {readonly string[]} */
function parametersIn({ path, method }, place) {
  const { parameters = [] } = DOCUMENT.paths[path][method.toLowerCase()]
  return parameters
    .filter((/** @type {{ in: string }} */ one) => one.in === place)
    .map((/** @type {{ name: string }} */ { name }) => name.toLowerCase())
}

const PLACES = OPERATIONS.flatMap((operation) => {
  /** @param {Part} part @param {readonly string[]} names */
  const places = (part, names) => names.map((name) => ({ operation, part, name }))
  return [
    // The body counts several times, because it contains most of the data.
    ...(operation.contentType === null ? [] : places('body', ['', '', '', '', '', ''])),
    ...places('query', [...parametersIn(operation, 'query'), 'unheard_of']),
    ...places('path', parametersIn(operation, 'path')),
    ...places('header', [...parametersIn(operation, 'header'), 'content-type', 'accept']),
  ]
})

const harm = fc
  .record({
    place: fc.constantFrom(...PLACES),
    edits: fc.array(edit, { minLength: 1, maxLength: 3 }),
  })
  .map(({ place, edits }) => /** @type {Harm} */ ({ ...place, edits }))

/** @param {Sent} sent @param {Harm} harm @returns {Sent} */
function harmed(sent, { part, name, edits }) {
  /** @param {unknown} value */
  const spoil = (value) =>
    edits.reduce(edited, typeof value === 'string' ? value : JSON.stringify(value ?? ''))
  const { params = {}, query = {}, headers = {}, body } = sent
  switch (part) {
    case 'body':
      return { ...sent, body: spoil(body) }
    case 'query':
      return { ...sent, query: { ...query, [name]: spoil(query[name]).slice(0, MOST_CHARACTERS) } }
    case 'path':
      return {
        ...sent,
        params: { ...params, [name]: spoil(params[name]).slice(0, MOST_CHARACTERS) },
      }
    default: {
      // Keeps only characters that a client can send.
      const value = spoil(headers[name]).replaceAll(/[^\t\x20-\xff]/g, '?')
      return { ...sent, headers: { ...headers, [name]: value.slice(0, MOST_CHARACTERS) } }
    }
  }
}

/**
 * The same requests for the same seed. `report` is called with the number of sent requests.
 * @param {ManagedProduct} product
 * @param {{ requests: number, seed: number, report?: (sent: number) => void }} options
 */
export async function soakRequests(product, { requests, seed, report = () => undefined }) {
  /** @type {Record<number, number>} */
  const statuses = {}
  /** @type {string[]} */
  const failures = []
  /** @type {Map<string, { sent: Promise<Sent>, uses: number }>} */
  const prepared = new Map()
  let valid = 0

  /** @param {Operation} operation @returns {Promise<Sent>} */
  async function prepare({ id }) {
    return (await CASES[id]?.good(product)) ?? {}
  }

  /** @param {Operation} operation */
  function preparedFor(operation) {
    const kept = prepared.get(operation.id)
    const one =
      kept !== undefined && kept.uses < USES ? kept : { sent: prepare(operation), uses: 0 }
    one.uses += 1
    prepared.set(operation.id, one)
    return one.sent
  }

  /** @param {Harm} done */
  async function sendHarmed(done) {
    const { operation, part, name } = done
    const sent = harmed(await preparedFor(operation), done)
    const { status, text } = await product.send(operation.id, sent)
    statuses[status] = (statuses[status] ?? 0) + 1
    if (status < 500) return
    const request = JSON.stringify(sent).slice(0, 500)
    failures.push(`${operation.id}, ${part} ${name}: ${status} ${text.slice(0, 200)} to ${request}`)
  }

  async function sendValid() {
    const operation = OPERATIONS[valid % OPERATIONS.length]
    valid += 1
    if (operation === undefined) return
    // Two searches may run in a project, and damaged requests may have started both.
    const deadline = performance.now() + MOST_BUSY_MS
    let { status, text } = await product.send(operation.id, await prepare(operation))
    while (status === 429 && performance.now() < deadline) {
      await delay(1000)
      ;({ status, text } = await product.send(operation.id, await prepare(operation)))
    }
    if (status >= 300) failures.push(`${operation.id}, as it is: ${status} ${text.slice(0, 200)}`)
  }

  /** @type {readonly string[]} */
  let older = []
  /** A project may have twenty webhook streams. Those that are not in use any more are removed. */
  async function removeOldStreams() {
    const { text } = await product.send('list-webhook-streams', {})
    /** @type {{ rows: readonly { id: string }[] }} */
    const { rows } = JSON.parse(text)
    const ids = rows.map(({ id }) => id)
    for (const id of older.filter((one) => ids.includes(one)))
      await product.send('remove-a-webhook-stream', { params: { id } })
    older = ids
  }

  const waiting = fc.sample(harm, { seed, numRuns: requests })
  let sent = 0
  async function work() {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { id } = next.operation
      await sendHarmed(next).catch((error) => failures.push(`${id}: ${error}`))
      const count = ++sent
      report(count)
      if (count % MOST_OF_KEY === 0) {
        product.forgetKeys()
        await removeOldStreams()
      }
      if (count % BETWEEN === 0) await sendValid().catch((error) => failures.push(String(error)))
    }
  }
  await Promise.all(Array.from({ length: TOGETHER }, work))
  return { statuses, failures, valid }
}

/** Prints the result; true: no request failed. @param {{ requests: number, seed: number }} options */
export async function requestsSoak({ requests, seed }) {
  const product = await startProduct(PORT)
  try {
    const { tell } = await signedIn(product)
    const started = performance.now()
    const { statuses, failures, valid } = await soakRequests(
      new ManagedProduct({ url: product.url, tell }),
      {
        requests,
        seed,
        report: (sent) => {
          if (sent % 1000 !== 0) return
          const memory = measureWeb(product)?.mib.toFixed(0) ?? '?'
          process.stdout.write(`${sent} of ${requests}, memory of the web ${memory} MiB\n`)
        },
      },
    )
    for (const [status, count] of Object.entries(statuses))
      process.stdout.write(`  ${status} ${count.toLocaleString('en')}\n`)
    for (const failure of failures.slice(0, 50)) process.stdout.write(`FAILED ${failure}\n`)
    const seconds = ((performance.now() - started) / 1000).toFixed(0)
    process.stdout.write(
      `${requests.toLocaleString('en')} damaged requests of seed ${seed} and ${valid} valid ones in ${seconds} s, ${failures.length} failures\n`,
    )
    return failures.length === 0
  } finally {
    await product.stop()
  }
}
