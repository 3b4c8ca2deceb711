// @ts-check
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { ROOT } from '../product.mjs'
import { DEATHS } from './deaths.mjs'
import { until } from './lab.mjs'
import { decideCalls, Ledger, reportSessions } from './ledger.mjs'

const CONFIG = JSON.parse(
  fs.readFileSync(path.join(ROOT, 'examples/demo-agent/configs/release-notes.json'), 'utf8'),
)
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
 * @param {import('./site.mjs').Site} site
 * @param {Iterable<{ name: string, calmSeconds: number }>} strikes `name`: key of DEATHS; before each, traffic runs undisturbed
 * @param {(outcome: Outcome) => void} report called after each
 * @returns {Promise<Ledger>} all sessions
 */
export async function proveDeaths(site, strikes, report) {
  const total = new Ledger()
  const page = new OpenPage(site.url, site.admin.cookie)
  try {
    for (const strike of strikes) report(await proveDeath(site, { ...strike, page, total }))
    return total
  } finally {
    page.close()
  }
}

/**
 * @param {import('./site.mjs').Site} site
 * @param {{ name: string, calmSeconds: number, page: OpenPage, total: Ledger }} strike
 * @returns {Promise<Outcome>}
 */
async function proveDeath(site, { name, calmSeconds, page, total }) {
  const death = DEATHS[name]
  if (death === undefined) throw new Error(`There is no death ${name}.`)
  const { database, url, apiKeys, admin } = site
  const ledger = new Ledger(death.also)
  const stopping = new AbortController()
  const [runtimeKey = '', ...otherKeys] = apiKeys
  const dataDir = path.join(database.lab.folder, 'runtime')
  const reporting = Promise.all([
    decideCalls({ url, apiKey: runtimeKey, dataDir }, ledger, stopping.signal),
    ...otherKeys.map((apiKey) =>
      reportSessions({ url, apiKey, config: CONFIG }, ledger, stopping.signal),
    ),
  ])
  // When the wait for the death fails first, that is the error.
  reporting.catch(() => undefined)
  const looking = page.look(ledger, stopping.signal)
  try {
    await wait(calmSeconds * 1000)
    ledger.startPause()
    const struckAt = performance.now()
    const secondsSince = () => (performance.now() - struckAt) / 1000
    const blow = await death.strike(database)
    let seen = ''
    await until(
      () => `another server takes over: ${seen}`,
      120,
      async () => {
        if (await blow.isOver()) return true
        seen = await database.describe()
        return false
      },
    )
    const overAt = performance.now()
    await until('an acknowledgement', 60, () => ledger.lastAt > overAt)
    await until('a notification', 60, () => page.notifiedAt > overAt)
    const notifiedSeconds = secondsSince()
    await runJob(admin)
    const jobSeconds = secondsSince()
    blow.mend()
    await site.whole()
    await wait(AFTERWARDS_MS)
    const pauseSeconds = ledger.pauseMs / 1000
    stopping.abort()
    await reporting
    const { unverified, undecided, ...compared } = await ledger.compare(database.url)
    if (unverified > 0) ledger.faults.add(`${unverified} sessions are not verified`)
    if (undecided > 0) ledger.faults.add(`${undecided} decisions are missing or too many`)
    total.add(ledger)
    return {
      ...compared,
      death: name,
      pauseSeconds,
      acknowledged: ledger.acknowledged,
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

/** @param {import('./site.mjs').Site['admin']} admin */
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

function lastHour() {
  const filter = { from: Date.now() - 3_600_000, until: Date.now() }
  const input = encodeURIComponent(JSON.stringify({ chart: 'calls', filter }))
  return `/api/trpc/analytics.chart?input=${input}`
}

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

  async #follow() {
    while (!this.#closing.signal.aborted) {
      await this.#listen().catch(() => undefined)
      await wait(LOOK_MS)
    }
  }

  async #listen() {
    const answer = await fetch(`${this.#url}/api/trpc/live.notifications`, {
      headers: { cookie: this.#cookie, accept: 'text/event-stream' },
      signal: this.#closing.signal,
    })
    for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? [])
      if (chunk.includes('sess_')) this.notifiedAt = performance.now()
  }

  /**
   * Loads pages and their data until `signal` aborts, also what a standby answers: they succeed, or the database is away.
   * @param {Ledger} ledger takes the faults
   * @param {AbortSignal} signal
   */
  async look(ledger, signal) {
    /** @type {Map<string, number>} */
    const statuses = new Map()
    while (!signal.aborted) {
      for (const place of ['/sessions', '/api/trpc/members.me', lastHour()]) {
        const { status, requestId } = await this.#load(place)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        if (ledger.isFault(status)) ledger.faults.add(`${place}: ${status} (${requestId})`)
      }
      await wait(LOOK_MS)
    }
    return statuses
  }

  /** The request id leads to the reason in the log of a replica. @param {string} place */
  async #load(place) {
    try {
      const answer = await fetch(`${this.#url}${place}`, {
        headers: { cookie: this.#cookie },
        redirect: 'manual',
        signal: AbortSignal.timeout(30_000),
      })
      await answer.text()
      return { status: String(answer.status), requestId: answer.headers.get('x-request-id') }
    } catch (error) {
      return { status: error instanceof Error ? error.name : String(error), requestId: null }
    }
  }

  close() {
    this.#closing.abort()
  }
}

/** @param {Pick<Outcome, 'lost' | 'duplicates' | 'faults'>} outcome */
export const isProven = ({ lost, duplicates, faults }) =>
  lost === 0 && duplicates === 0 && faults.length === 0

/** @param {ReadonlyMap<string, number>} statuses */
export const formatStatuses = (statuses) =>
  [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')
