// @ts-check
// A worker thread that searches for the smallest change that would have refused one call or stop. Node.js runs it as it is, with the built
// packages: reading sessions and searching take seconds, in which the server must answer other requests.
import { parentPort, workerData } from 'node:worker_threads'
import { compileConfig } from '@signalbox/core'
import { celExpressions } from '@signalbox/core/expression'
import { compileChecked } from '@signalbox/core/lint'
import {
  applyEdit,
  describeEvidence,
  describeNoAnswer,
  isStopped,
  openPrevent,
} from '@signalbox/core/prevent'
import { describeNewFaults, findNewFaults, prove } from '@signalbox/core/prove'

/**
 * @typedef {import('@signalbox/core').CompiledConfig} CompiledConfig
 * @typedef {import('@signalbox/core').SessionEvent} SessionEvent
 * @typedef {import('@signalbox/core').ConfigDocument} ConfigDocument
 * @typedef {import('@signalbox/core/prevent').Candidate} Candidate
 * @typedef {{ readonly digest: string, readonly document: ConfigDocument }} Version
 * @typedef {import('../backtests/whole-logs.ts').SentLog} SentLog
 * @typedef {object} MarkedLog
 * @property {readonly Version[]} versions the first is that with which the session began
 * @property {readonly string[] | 'any'} customTypes
 * @property {SentLog} log
 * @property {number} seq
 * @property {import('@signalbox/core/prove').Question | null} question its answer is the log; null: it was recorded
 * @typedef {MarkedLog & { readonly live: Version | null, readonly mostMs: number }} Work the incident, the live version if it is another
 *   one, and the time for the search
 * @typedef {{ readonly kind: 'good', readonly logs: readonly SentLog[] }
 *   | { readonly kind: 'bad', readonly marked: MarkedLog } | { readonly kind: 'search' }} Sent
 * @typedef {Omit<Candidate, 'document'> & {
 *   readonly text: string, readonly alsoStops: number, readonly madeOn: string | null, readonly faults: readonly string[] }} Told
 * @typedef {object} Found
 * @property {readonly Told[]} candidates
 * @property {readonly Told[]} nearMisses
 * @property {string | null} noAnswer
 * @property {import('@signalbox/core/prevent').Findings['used']} used
 * @property {number} otherBad
 * @property {boolean} isCut
 * @typedef {{ readonly kind: 'ready' } | { readonly kind: 'unreadable' } | { readonly kind: 'no_example' } | { readonly kind: 'refused_by_live' }
 *   | { readonly kind: 'fault', readonly fault: import('@signalbox/core/prevent').IncidentFault }
 *   | { readonly kind: 'found', readonly found: Found, readonly isOver: boolean }} Answer
 */

/** @type {Work} */
const work = workerData
const expressions = celExpressions()
/** The same as for an answer in the editor. The changes that are told share it. */
const PROOF_MS = 5_000
const MOST_TOLD = 10

/** @param {ConfigDocument} document @param {readonly string[] | 'any'} customTypes */
function compile(document, customTypes) {
  const options = { expressions, customTypes }
  const checked = compileChecked(document, options)
  if (checked.ok) return checked.config
  const compiled = compileConfig(document, options)
  return compiled.ok ? compiled.config : null
}

/** Null: this build cannot evaluate the version with which it began. @param {MarkedLog} marked */
function runUnder({ versions, customTypes }) {
  /** @type {Map<string, CompiledConfig>} */
  const known = new Map()
  for (const { digest, document } of versions) {
    const config = compile(document, customTypes)
    if (config !== null) known.set(digest, config)
  }
  const began = known.get(versions[0]?.digest ?? '')
  if (began === undefined) return null
  return { began, find: (/** @type {string} */ digest) => known.get(digest) ?? null }
}

/** @param {SentLog} log @returns {readonly SessionEvent[]} */
function readLog({ session, texts }) {
  return texts.flatMap((text) =>
    JSON.parse(`[${text}]`).map(
      /** @param {readonly [number, number, string, unknown]} row */
      ([seq, at, type, data]) => ({ session, seq, at, type, data }),
    ),
  )
}

/** @param {Answer} answer */
const tell = (answer) => parentPort?.postMessage(answer)

/** @param {MarkedLog} marked */
const toMarked = ({ log, seq }) => ({ events: readLog(log), seq })

/** Session that answers the question, and its last call or stop. @param {CompiledConfig} config @param {import('@signalbox/core/prove').Question} question */
function findExample(config, question) {
  const end = performance.now() + PROOF_MS
  const answer = prove(config, question, { isAborted: () => performance.now() > end })
  if (answer.answer !== 'trace') return null
  const { events } = answer
  const last = events.findLast(({ type }) => type === 'tool.requested' || type === 'stop.attempted')
  return last === undefined ? null : { events, seq: last.seq }
}

const ran = runUnder(work)

function open() {
  if (ran === null) {
    tell({ kind: 'unreadable' })
    return null
  }
  const { question } = work
  const marked = question === null ? toMarked(work) : findExample(ran.began, question)
  if (marked === null) {
    tell({ kind: 'no_example' })
    return null
  }
  const opened = openPrevent(ran, marked.events, marked.seq)
  if (!opened.ok) {
    tell({ kind: 'fault', fault: opened.fault })
    return null
  }
  const live = work.live === null ? null : compile(work.live.document, work.customTypes)
  const isRefused = live !== null && isStopped(ran, live, marked)
  tell({ kind: isRefused ? 'refused_by_live' : 'ready' })
  return isRefused ? null : opened.prevent
}

const prevent = open()
/** @type {{ ran: NonNullable<ReturnType<typeof runUnder>>, marked: import('@signalbox/core/prevent').Marked }[]} */
const bad = []

/** @param {MarkedLog} sent */
function addBad(sent) {
  const ran = runUnder(sent)
  if (ran !== null) bad.push({ ran, marked: toMarked(sent) })
}

/** Digest of the version that the candidate changes; null: it is not known. @param {Candidate} candidate */
function findMadeOn({ document, edit }) {
  const text = JSON.stringify(document)
  const found = work.versions.find((one) => JSON.stringify(applyEdit(one.document, edit)) === text)
  return found?.digest ?? null
}

/** Sentences about faults that the change adds. @param {string | null} madeOn @param {CompiledConfig | null} after @param {number} end */
function listFaults(madeOn, after, end) {
  const before = madeOn === null ? null : (ran?.find(madeOn) ?? null)
  if (before === null || after === null) return []
  return describeNewFaults(
    findNewFaults(before, after, { isAborted: () => performance.now() > end }),
  )
}

/** Tells each change when it is found, and at the end all. @param {NonNullable<typeof prevent>} opened */
function search(opened) {
  const end = performance.now() + work.mostMs
  const isLate = () => performance.now() > end
  let isCut = false
  /** @type {Map<Candidate, Told>} */
  const told = new Map()
  /** @param {Candidate} candidate @returns {Told} */
  const describe = (candidate) => {
    const known = told.get(candidate)
    if (known !== undefined) return known
    const { document, ...rest } = candidate
    const config = compile(document, work.customTypes)
    let alsoStops = 0
    for (const { ran, marked } of bad) {
      isCut ||= isLate()
      if (isCut || config === null) break
      if (isStopped(ran, config, marked)) alsoStops += 1
    }
    const madeOn = findMadeOn(candidate)
    const faults = listFaults(madeOn, config, performance.now() + PROOF_MS / MOST_TOLD)
    const text = describeEvidence(candidate)
    const described = { ...rest, text, alsoStops, madeOn, faults }
    told.set(candidate, described)
    return described
  }
  /** @param {import('@signalbox/core/prevent').Findings} findings @returns {Found} */
  const describeAll = (findings) => {
    const candidates = findings.candidates.map(describe)
    const nearMisses = findings.nearMisses.map(describe)
    const { used } = findings
    const noAnswer = describeNoAnswer(findings)
    isCut ||= findings.isCut
    return { candidates, nearMisses, noAnswer, used, otherBad: bad.length, isCut }
  }
  const findings = opened.candidates({
    isAborted: isLate,
    onFound: (soFar) => tell({ kind: 'found', found: describeAll(soFar), isOver: false }),
  })
  tell({ kind: 'found', found: describeAll(findings), isOver: true })
}

parentPort?.on('message', (/** @type {Sent} */ sent) => {
  if (prevent === null) return
  if (sent.kind === 'search') return search(prevent)
  if (sent.kind === 'bad') addBad(sent.marked)
  else for (const log of sent.logs) prevent.addGood(readLog(log))
  tell({ kind: 'ready' })
})
