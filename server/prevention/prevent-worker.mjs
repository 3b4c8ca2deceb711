// @ts-check
// A worker thread that searches for the smallest change that would have refused one call or stop. Node.js runs it as it is, with the built
// packages: reading sessions and searching take seconds, in which the server must answer other requests.
import { parentPort, workerData } from 'node:worker_threads'
import { compileConfig } from '@signalbox/core'
import { celExpressions } from '@signalbox/core/expression'
import { compileChecked } from '@signalbox/core/lint'
import { describeEvidence, describeNoAnswer, isStopped, openPrevent } from '@signalbox/core/prevent'

/**
 * @typedef {import('@signalbox/core').SessionEvent} SessionEvent
 * @typedef {import('@signalbox/core').ConfigDocument} ConfigDocument
 * @typedef {{ readonly session: string, readonly texts: readonly string[] }} SentLog texts of JSON arrays, as `readReplayPage` writes them
 * @typedef {object} Work
 * @property {readonly { readonly digest: string, readonly document: ConfigDocument }[]} versions the first is that with which it began
 * @property {readonly string[]} customTypes
 * @property {SentLog} incident
 * @property {number} seq
 * @property {number} mostMs for the search
 * @typedef {{ readonly kind: 'good', readonly logs: readonly SentLog[] }
 *   | { readonly kind: 'search', readonly bad: readonly (SentLog & { readonly seq: number, readonly digest: string })[] }} Sent
 * @typedef {import('@signalbox/core/prevent').Candidate & { readonly text: string, readonly alsoStops: number }} Told
 * @typedef {object} Found
 * @property {readonly Omit<Told, 'document'>[]} candidates
 * @property {readonly Omit<Told, 'document'>[]} nearMisses
 * @property {string | null} noAnswer
 * @property {import('@signalbox/core/prevent').Findings['used']} used
 * @property {boolean} isCut
 * @typedef {{ readonly kind: 'ready' } | { readonly kind: 'fault', readonly fault: import('@signalbox/core/prevent').IncidentFault }
 *   | { readonly kind: 'found', readonly found: Found }} Answer
 */

/** @type {Work} */
const { versions, customTypes, incident, seq, mostMs } = workerData
const options = { expressions: celExpressions(), customTypes }

/** @param {ConfigDocument} document */
function compile(document) {
  const checked = compileChecked(document, options)
  if (checked.ok) return checked.config
  const compiled = compileConfig(document, options)
  return compiled.ok ? compiled.config : null
}

const known = new Map(versions.map(({ digest, document }) => [digest, compile(document)]))
/** @param {string} digest */
const find = (digest) => known.get(digest) ?? null

/** @param {string} digest of the version with which a session began */
function runUnder(digest) {
  const began = find(digest)
  if (began === null) throw new Error('The config of the session does not compile.')
  return { began, find }
}

/** @param {SentLog} log @returns {readonly SessionEvent[]} */
function readLog({ session, texts }) {
  return texts.flatMap((text) =>
    JSON.parse(`[${text}]`).map(
      /** @param {readonly [number, number, string, unknown]} row */
      ([number, at, type, data]) => ({ session, seq: number, at, type, data }),
    ),
  )
}

/** @param {Answer} answer */
const tell = (answer) => parentPort?.postMessage(answer)

const opened = openPrevent(runUnder(versions[0]?.digest ?? ''), readLog(incident), seq)
if (opened.ok) tell({ kind: 'ready' })
else tell({ kind: 'fault', fault: opened.fault })

/** @param {Extract<Sent, { kind: 'search' }>} sent @returns {Found} */
function search({ bad }) {
  if (!opened.ok) throw new Error('There is no incident.')
  const end = performance.now() + mostMs
  const findings = opened.prevent.candidates({ isAborted: () => performance.now() > end })
  const logs = bad.map(({ digest, ...log }) => ({
    ran: runUnder(digest),
    marked: { events: readLog(log), seq: log.seq },
  }))
  /** @param {import('@signalbox/core/prevent').Candidate} candidate */
  const describe = (candidate) => {
    const { document, ...rest } = candidate
    const config = compile(document)
    const alsoStops =
      config === null ? 0 : logs.filter(({ ran, marked }) => isStopped(ran, config, marked)).length
    return { ...rest, text: describeEvidence(candidate), alsoStops }
  }
  const { candidates, nearMisses, used, isCut } = findings
  return {
    candidates: candidates.map(describe),
    nearMisses: nearMisses.map(describe),
    noAnswer: describeNoAnswer(findings),
    used,
    isCut,
  }
}

parentPort?.on('message', (/** @type {Sent} */ sent) => {
  if (!opened.ok) return
  if (sent.kind === 'search') return tell({ kind: 'found', found: search(sent) })
  for (const log of sent.logs) opened.prevent.addGood(readLog(log))
  tell({ kind: 'ready' })
})
