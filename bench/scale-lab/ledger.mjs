// @ts-check
// Events that agents emitted, that the product acknowledged and that are stored, and every answer on the way.

import { setTimeout as wait } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import pg from 'pg'
import { postEvents, recordSession, toPieces } from '../recorded-session.mjs'

const PAUSE_MS = 20
const AGAIN_MS = 250
const ANSWER_WITHIN_MS = 30_000

/** @typedef {{ url: string, apiKey: string, config: object }} Target */

export class Ledger {
  /** Events, by session. @type {Map<string, number>} */
  #emitted = new Map()
  /** Last event that is acknowledged, by session. @type {Map<string, number>} */
  #acknowledged = new Map()
  /** Number of answers, by status or name of the failure. @type {Map<string, number>} */
  statuses = new Map()
  /** Things that must not happen, in sentences. @type {Set<string>} */
  faults = new Set()
  /** When the last batch was acknowledged, as `performance.now()`. */
  lastAt = performance.now()
  #longestMs = 0
  slowestMs = 0

  /** Forgets the pauses so far. */
  startPause() {
    this.#longestMs = 0
  }

  get pauseMs() {
    return Math.max(this.#longestMs, performance.now() - this.lastAt)
  }

  get acknowledged() {
    return [...this.#acknowledged.values()].reduce((sum, seq) => sum + seq, 0)
  }

  get sessions() {
    return [...this.#emitted.keys()]
  }

  /** @param {string} session @param {number} events */
  emit(session, events) {
    this.#emitted.set(session, (this.#emitted.get(session) ?? 0) + events)
  }

  /** @param {string} session @param {number} seq */
  acknowledge(session, seq) {
    this.#acknowledged.set(session, seq)
    const now = performance.now()
    this.#longestMs = Math.max(this.#longestMs, now - this.lastAt)
    this.lastAt = now
  }

  /** @param {string | number} status */
  count(status) {
    this.statuses.set(String(status), (this.statuses.get(String(status)) ?? 0) + 1)
  }

  /** Compares with the database. @param {string} url */
  async compare(url) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 })
    await client.connect()
    try {
      const { rows } = await client.query(
        `SELECT s.id, s.verification, array_agg(e.seq) AS seqs FROM sessions s
         JOIN session_events e ON e.session_id = s.id WHERE s.id = ANY($1) GROUP BY 1, 2`,
        [this.sessions],
      )
      return this.#judge(new Map(rows.map((row) => [row.id, row])))
    } finally {
      await client.end()
    }
  }

  /** @param {ReadonlyMap<string, { verification: string, seqs: readonly number[] }>} stored */
  #judge(stored) {
    let [lost, duplicates, unverified] = [0, 0, 0]
    for (const [session, seq] of this.#acknowledged) {
      const row = stored.get(session)
      const seqs = row?.seqs ?? []
      const different = new Set(seqs)
      duplicates += seqs.length - different.size
      for (let each = 1; each <= seq; each++) if (!different.has(each)) lost += 1
      if (row?.verification !== 'verified') unverified += 1
    }
    return { lost, duplicates, unverified }
  }
}

/**
 * Reports sessions as a live agent does, piece by piece, until `signal` aborts. Every piece is sent until it is acknowledged.
 * @param {Target} target
 * @param {Ledger} ledger
 * @param {AbortSignal} signal
 */
export async function reportSessions(target, ledger, signal) {
  while (!signal.aborted) {
    /** @type {readonly string[]} */
    const lines = await recordSession(target.config)
    const { session } = JSON.parse(lines[0] ?? '{}')
    for (const piece of toPieces(lines)) {
      if (signal.aborted) return
      ledger.emit(session, piece.length)
      const { seq: last } = JSON.parse(piece.at(-1) ?? '{}')
      const body = gzipSync(`${piece.join('\n')}\n`)
      await sendPiece(target, ledger, { session, last, body, signal })
      await wait(PAUSE_MS)
    }
  }
}

/** @param {Target} target @param {Ledger} ledger @param {{ session: string, last: number, body: Buffer<ArrayBuffer>, signal: AbortSignal }} piece */
async function sendPiece(target, ledger, { session, last, body, signal }) {
  /** When the piece is given up, which is a fault. */
  let end = Number.POSITIVE_INFINITY
  while (performance.now() < end) {
    const started = performance.now()
    const answer = await sendOnce(target, ledger, body)
    ledger.slowestMs = Math.max(ledger.slowestMs, performance.now() - started)
    // An event log acknowledges what it does not know to be stored.
    const seq = answer?.relayed === true ? last : answer?.acked_through[session]
    if (seq !== undefined) return ledger.acknowledge(session, seq)
    if (signal.aborted && end === Number.POSITIVE_INFINITY)
      end = performance.now() + ANSWER_WITHIN_MS
    await wait(AGAIN_MS)
  }
  ledger.faults.add(`a batch of ${session} was never acknowledged`)
}

/**
 * Null: not acknowledged.
 * @param {Target} target @param {Ledger} ledger @param {Buffer<ArrayBuffer>} body
 * @returns {Promise<{ acked_through: Readonly<Record<string, number>>, relayed?: boolean } | null>}
 */
async function sendOnce({ url, apiKey }, ledger, body) {
  try {
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS)
    const answer = await postEvents(url, apiKey, { body, signal })
    const text = await answer.text()
    ledger.count(answer.status)
    if (answer.status === 200) {
      const acknowledged = JSON.parse(text)
      const [error] = acknowledged.errors
      if (error !== undefined) ledger.faults.add(`a line was refused: ${JSON.stringify(error)}`)
      return acknowledged
    }
    if (![429, 503].includes(answer.status)) ledger.faults.add(`${answer.status}: ${text}`)
    else if (answer.headers.get('retry-after') === null)
      ledger.faults.add(`${answer.status} without Retry-After`)
  } catch (error) {
    const name = error instanceof Error ? error.name : String(error)
    ledger.count(name)
    ledger.faults.add(`no answer: ${name}`)
  }
  return null
}
