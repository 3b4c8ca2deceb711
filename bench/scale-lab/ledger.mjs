// @ts-check

import { setTimeout as wait } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { createGuardrails } from '@signalbox/runtime'
import { withClient } from '../../scripts/installation.mjs'
import { postEvents, recordSession, toPieces } from '../recorded-session.mjs'

const PAUSE_MS = 20
const AGAIN_MS = 250
const ANSWER_WITHIN_MS = 30_000
const CALL_EVERY_MS = 100
/** Far more than a decision takes, because this machine does everything else, too. */
const DECIDE_WITHIN_MS = 2000

/** Sessions of a statement. */
const COMPARED = 500
/** `lost`: acknowledged and not stored. `duplicates`: stored more than once, or emitted by no one. `undecided`: decisions missing, or too many. */
const COMPARE = `SELECT sum(coalesce(acknowledged - kept, 0))::int AS lost, sum(stored - least(different, events))::int AS duplicates,
    sum(abs(decided - decisions))::int AS undecided, count(*) FILTER (WHERE verification IS DISTINCT FROM 'verified')::int AS unverified
  FROM (SELECT a.*, s.verification, count(e.seq)::int AS stored, count(DISTINCT e.seq)::int AS different,
      (count(DISTINCT e.seq) FILTER (WHERE e.seq <= a.acknowledged))::int AS kept,
      (count(DISTINCT e.seq) FILTER (WHERE e.type = 'tool.decided'))::int AS decisions
    FROM json_to_recordset($1) AS a(id text, events int, acknowledged int, decided int)
    LEFT JOIN sessions s ON s.id = a.id LEFT JOIN session_events e ON e.session_id = a.id
    GROUP BY a.id, a.events, a.acknowledged, a.decided, s.verification) AS compared`
/** Decisions that Analytics counts, once each, whatever was sent again. */
const COUNTED = `SELECT coalesce(sum(h.count), 0)::int AS counted FROM rollup_series s JOIN rollup_hours h ON h.series_id = s.id
  WHERE s.kind = 'call'`

/** @typedef {{ url: string, apiKey: string, config: object }} Target */

/**
 * @typedef {object} Entry of a session
 * @property {number | null} events that were emitted; null: its runtime keeps that to itself
 * @property {number | null} acknowledged the last such event; null: its runtime keeps that to itself
 * @property {number} decided number of decisions in events that are acknowledged
 */

export class Ledger {
  /** By session. @type {Map<string, Entry>} */
  #entries = new Map()
  #also
  /** Number of answers, by status or name of the failure. @type {Map<string, number>} */
  statuses = new Map()
  /** Things that must not happen, in sentences. @type {Set<string>} */
  faults = new Set()
  /** When the last batch was acknowledged, as `performance.now()`. */
  lastAt = performance.now()
  #longestMs = 0
  slowestMs = 0

  /** @param {readonly string[]} [also] statuses that are no faults, besides 200, 429 and 503 */
  constructor(also = []) {
    this.#also = also
  }

  startPause() {
    this.#longestMs = 0
  }

  get pauseMs() {
    return Math.max(this.#longestMs, performance.now() - this.lastAt)
  }

  get acknowledged() {
    return this.#sum(({ acknowledged }) => acknowledged ?? 0)
  }

  get decided() {
    return this.#sum(({ decided }) => decided)
  }

  get sessions() {
    return [...this.#entries.keys()]
  }

  /** @param {(entry: Entry) => number} read */
  #sum(read) {
    return [...this.#entries.values()].reduce((sum, entry) => sum + read(entry), 0)
  }

  /** @param {Ledger} other */
  add(other) {
    for (const [session, entry] of other.#entries) this.#entries.set(session, entry)
  }

  /** @param {string} session */
  #entry(session) {
    const entry = this.#entries.get(session) ?? { events: 0, acknowledged: 0, decided: 0 }
    this.#entries.set(session, entry)
    return entry
  }

  /** @param {string} session @param {number} events */
  emit(session, events) {
    const entry = this.#entry(session)
    entry.events = (entry.events ?? 0) + events
  }

  /** @param {string} session @param {number} seq @param {number} decided decisions in the piece */
  acknowledge(session, seq, decided) {
    const entry = this.#entry(session)
    entry.acknowledged = seq
    entry.decided += decided
    const now = performance.now()
    this.#longestMs = Math.max(this.#longestMs, now - this.lastAt)
    this.lastAt = now
  }

  /** A session that a runtime reported completely. @param {string} session @param {number} decided */
  keep(session, decided) {
    this.#entries.set(session, { events: null, acknowledged: null, decided })
  }

  /** @param {string | number} status */
  count(status) {
    this.statuses.set(String(status), (this.statuses.get(String(status)) ?? 0) + 1)
  }

  /** @param {string | number} status */
  isFault(status) {
    return !['200', '429', '503', ...this.#also].includes(String(status))
  }

  /** @param {string} url */
  async compare(url) {
    const sum = { lost: 0, duplicates: 0, undecided: 0, unverified: 0 }
    const entries = [...this.#entries].map(([id, entry]) => ({ id, ...entry }))
    return await withClient(url, async (client) => {
      for (let at = 0; at < entries.length; at += COMPARED) {
        const { rows } = await client.query(COMPARE, [
          JSON.stringify(entries.slice(at, at + COMPARED)),
        ])
        sum.lost += rows[0].lost
        sum.duplicates += rows[0].duplicates
        sum.undecided += rows[0].undecided
        sum.unverified += rows[0].unverified
      }
      return sum
    })
  }
}

/** @param {string} url */
export async function countDecisions(url) {
  return await withClient(url, async (client) => (await client.query(COUNTED)).rows[0].counted)
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
      const decided = piece.filter((line) => line.includes('"type":"tool.decided"')).length
      const { seq: last } = JSON.parse(piece.at(-1) ?? '{}')
      const body = gzipSync(`${piece.join('\n')}\n`)
      await sendPiece(target, ledger, { session, last, body, decided, signal })
      await wait(PAUSE_MS)
    }
  }
}

/**
 * @param {Target} target @param {Ledger} ledger
 * @param {{ session: string, last: number, body: Buffer<ArrayBuffer>, decided: number, signal: AbortSignal }} piece
 */
async function sendPiece(target, ledger, { session, last, body, decided, signal }) {
  /** When the piece is given up, which is a fault. */
  let end = Number.POSITIVE_INFINITY
  while (performance.now() < end) {
    const started = performance.now()
    const answer = await sendOnce(target, ledger, body)
    ledger.slowestMs = Math.max(ledger.slowestMs, performance.now() - started)
    // An event log acknowledges what it does not know to be stored.
    const seq = answer?.relayed === true ? last : answer?.acked_through[session]
    if (seq !== undefined) return ledger.acknowledge(session, seq, decided)
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
    if (ledger.isFault(answer.status)) ledger.faults.add(`${answer.status}: ${text}`)
    else if (answer.headers.get('retry-after') === null)
      ledger.faults.add(`${answer.status} without Retry-After`)
  } catch (error) {
    const name = error instanceof Error ? error.name : String(error)
    ledger.count(name)
    if (ledger.isFault(name)) ledger.faults.add(`no answer: ${name}`)
  }
  return null
}

/**
 * Decides calls as an agent with the runtime, also while nothing answers, until `signal` aborts, and then waits until all is reported.
 * @param {{ url: string, apiKey: string, dataDir: string }} place
 * @param {Ledger} ledger
 * @param {AbortSignal} signal
 */
export async function decideCalls(place, ledger, signal) {
  const guardrails = createGuardrails({ ...place, prompt: 'demo/release-notes' })
  await guardrails.ready(ANSWER_WITHIN_MS)
  const session = guardrails.openSession({})
  let decided = 0
  for (; !signal.aborted; decided++) {
    const call = { tool: 'list_files', args: { decided }, callId: `c${decided}` }
    const started = performance.now()
    await session.beforeToolCall(call)
    const took = performance.now() - started
    if (took > DECIDE_WITHIN_MS) ledger.faults.add(`a decision took ${took.toFixed(0)} ms`)
    await session.afterToolCall({ ...call, outcome: 'success', output: 'ok' })
    await wait(CALL_EVERY_MS)
  }
  await session.end({ reason: 'completed' })
  await guardrails.close(ANSWER_WITHIN_MS)
  ledger.keep(session.id, decided)
}
