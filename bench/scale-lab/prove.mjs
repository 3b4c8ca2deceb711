// @ts-check
// The product on the HA database: live agents report, a signed-in user watches, and one death after another strikes the database.
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { ROOT, signedIn, startProduct } from '../product.mjs'
import { DEATHS } from './ha-database.mjs'
import { freePort, until } from './lab.mjs'
import { Ledger, reportSessions } from './ledger.mjs'

const AGENTS = 8
const WARM_MS = 3000
/** Traffic goes on after everything is back: a primary that wakes up late must not take a write. */
const AFTERWARDS_MS = 3000
const LOOK_MS = 250

/**
 * @typedef {object} Outcome
 * @property {string} death key of DEATHS
 * @property {number} pauseSeconds longest time without an acknowledgement after the death
 * @property {number} acknowledged events
 * @property {number} lost events that were acknowledged and are not stored
 * @property {number} duplicates events that are stored more than once
 * @property {number} slowestSeconds longest time to an answer
 * @property {ReadonlyMap<string, number>} statuses of the runtimes' requests
 * @property {ReadonlyMap<string, number>} pages statuses of the signed-in user's requests
 * @property {number} notifiedSeconds until a notification reached the open page
 * @property {number} jobSeconds until a new job had run
 * @property {readonly string[]} faults what must not happen
 */

/**
 * Starts the product on the database, and resolves with the outcome of each death.
 * @param {import('./ha-database.mjs').HaDatabase} database
 * @param {readonly string[]} names keys of DEATHS
 * @param {(outcome: Outcome) => void} report called after each
 */
export async function proveDeaths(database, names, report) {
  const folder = path.join(database.lab.folder, 'product')
  const product = await startProduct(await freePort(), folder, { DATABASE_URL: database.url })
  database.lab.adopt(product.pid)
  try {
    const admin = await signedIn(product)
    const config = JSON.parse(
      fs.readFileSync(path.join(ROOT, 'examples/demo-agent/config.json'), 'utf8'),
    )
    const page = new OpenPage(product.url, admin.cookie)
    const target = { url: product.url, apiKey: product.apiKey, config }
    for (const name of names) report(await proveDeath({ database, name, target, page, admin }))
    page.close()
  } finally {
    await product.stop()
  }
}

/**
 * @param {{ database: import('./ha-database.mjs').HaDatabase, name: string, target: import('./ledger.mjs').Target, page: OpenPage,
 *   admin: Awaited<ReturnType<typeof signedIn>> }} scene
 * @returns {Promise<Outcome>}
 */
async function proveDeath({ database, name, target, page, admin }) {
  const death = DEATHS[name]
  if (death === undefined) throw new Error(`There is no death ${name}.`)
  const ledger = new Ledger()
  const stopping = new AbortController()
  const agents = Array.from({ length: AGENTS }, () =>
    reportSessions(target, ledger, stopping.signal),
  )
  const looking = page.look(ledger, stopping.signal)
  try {
    await wait(WARM_MS)
    ledger.startPause()
    const struckAt = performance.now()
    const secondsSince = () => (performance.now() - struckAt) / 1000
    const blow = await death.strike(database)
    await until('another server takes over', 120, blow.isOver)
    const overAt = performance.now()
    await until('an acknowledgement', 60, () => ledger.lastAt > overAt)
    await until('a notification', 60, () => page.notifiedAt > overAt)
    const notifiedSeconds = secondsSince()
    await runJob(admin)
    const jobSeconds = secondsSince()
    blow.mend()
    await database.whole()
    await wait(AFTERWARDS_MS)
    const pauseSeconds = ledger.pauseMs / 1000
    stopping.abort()
    await Promise.all([...agents, looking])
    const { lost, duplicates, unverified } = await ledger.compare(database.url)
    if (unverified > 0) ledger.faults.add(`${unverified} sessions are not verified`)
    return {
      death: name,
      pauseSeconds,
      acknowledged: ledger.acknowledged,
      lost,
      duplicates,
      slowestSeconds: ledger.slowestMs / 1000,
      statuses: ledger.statuses,
      pages: await looking,
      notifiedSeconds,
      jobSeconds,
      faults: [...ledger.faults],
    }
  } finally {
    stopping.abort()
  }
}

/** Resolves when a job that is asked for now has run. @param {Awaited<ReturnType<typeof signedIn>>} admin */
async function runJob(admin) {
  const checkedAt = () =>
    askUntilAnswered(() => admin.ask('auditLog.chain').then((chain) => chain.checkedAt))
  const before = await checkedAt()
  await askUntilAnswered(() => admin.tell('auditLog.check'))
  await until('a job', 60, async () => (await checkedAt()) !== before)
}

/** Asks again while the database is away. @template T @param {() => Promise<T>} ask */
async function askUntilAnswered(ask) {
  const { answer } = await until('an answer', 30, () =>
    ask().then(
      (answer) => ({ answer }),
      () => null,
    ),
  )
  return answer
}

/** The open pages of a signed-in user: a stream of notifications, and pages that are loaded again and again. */
class OpenPage {
  #url
  #cookie
  #closing = new AbortController()
  notifiedAt = 0

  /** @param {string} url @param {string} cookie */
  constructor(url, cookie) {
    this.#url = url
    this.#cookie = cookie
    void this.#follow()
  }

  /** Connects again, as browsers do. */
  async #follow() {
    while (!this.#closing.signal.aborted) {
      await this.#listen().catch(() => undefined)
      await wait(LOOK_MS)
    }
  }

  async #listen() {
    const answer = await fetch(`${this.#url}/api/trpc/live.hints`, {
      headers: { cookie: this.#cookie, accept: 'text/event-stream' },
      signal: this.#closing.signal,
    })
    for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? [])
      if (chunk.includes('sess_')) this.notifiedAt = performance.now()
  }

  /**
   * Loads a page and calls a procedure until `signal` aborts: they succeed, or the database is away.
   * @param {Ledger} ledger takes the faults
   * @param {AbortSignal} signal
   */
  async look(ledger, signal) {
    /** @type {Map<string, number>} */
    const statuses = new Map()
    while (!signal.aborted) {
      for (const place of ['/sessions', '/api/trpc/members.me']) {
        const status = await this.#statusOf(place)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        if (!['200', '503'].includes(status)) ledger.faults.add(`${place}: ${status}`)
      }
      await wait(LOOK_MS)
    }
    return statuses
  }

  /** @param {string} place */
  async #statusOf(place) {
    try {
      const answer = await fetch(`${this.#url}${place}`, {
        headers: { cookie: this.#cookie },
        redirect: 'manual',
        signal: AbortSignal.timeout(30_000),
      })
      await answer.text()
      return String(answer.status)
    } catch (error) {
      return error instanceof Error ? error.name : String(error)
    }
  }

  close() {
    this.#closing.abort()
  }
}

/**
 * True: nothing was lost, nothing was stored twice, and nothing else happened that must not.
 * @param {Pick<Outcome, 'lost' | 'duplicates' | 'faults'>} outcome
 */
export const isProven = ({ lost, duplicates, faults }) =>
  lost === 0 && duplicates === 0 && faults.length === 0
