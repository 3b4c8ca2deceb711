// @ts-check
// A worker thread that counts what sessions have in common, and tests the rules that follow on them. Node.js runs it as it is, with the
// built packages: both take seconds, in which the server must answer other requests.
import { parentPort, workerData } from 'node:worker_threads'
import { compileConfig } from '@signalbox/core'
import { celExpressions } from '@signalbox/core/expression'
import {
  addCounts,
  decodeCounts,
  describeEvidence,
  encodeCounts,
  isImplied,
  NO_COUNTS,
  openLearner,
  openProposalTests,
  openTogetherTest,
  propose,
  subtractCounts,
} from '@signalbox/core/learn'

/**
 * @typedef {import('@signalbox/core').SessionEvent} SessionEvent
 * @typedef {import('@signalbox/core/learn').TestedProposal} TestedProposal
 * @typedef {import('../backtests/whole-logs.ts').SentLog} SentLog
 * @typedef {import('./learn-runs.sql.ts').FoundRule} FoundRule
 * @typedef {import('./learn-runs.sql.ts').LearnFindings} LearnFindings
 * @typedef {'good' | 'bad'} Label
 * @typedef {object} Work
 * @property {import('@signalbox/core').ConfigDocument} present
 * @property {readonly string[]} tools
 * @property {number} minSessions
 * @property {readonly string[]} dismissed ids of proposals
 * @property {readonly string[]} youngTools
 * @typedef {{ readonly kind: 'open', readonly counts: Uint8Array | null }
 *   | { readonly kind: 'add' | 'subtract', readonly logs: readonly SentLog[] }
 *   | { readonly kind: 'close', readonly label: Label } | { readonly kind: 'propose' }
 *   | { readonly kind: 'test' | 'test_together', readonly label: Label, readonly logs: readonly SentLog[] }
 *   | { readonly kind: 'choose' } | { readonly kind: 'end' }} Sent
 * @typedef {Pick<LearnFindings, 'good' | 'bad' | 'rules' | 'refused' | 'together' | 'skippedTools'>} Found
 * @typedef {{ readonly kind: 'ready' } | { readonly kind: 'unreadable' }
 *   | { readonly kind: 'opened', readonly isUsed: boolean }
 *   | { readonly kind: 'counted', readonly counts: Uint8Array } | { readonly kind: 'inexact' }
 *   | { readonly kind: 'proposed', readonly rules: number }
 *   | { readonly kind: 'found', readonly found: Found }} Answer
 */

/** Time for the questions about what the config already says, and for those about traps. */
const PROOF_MS = 5_000
const MOST_SKIPPED = 50

/** @type {Work} */
const { present: document, tools, minSessions, dismissed, youngTools } = workerData
const compiled = compileConfig(document, { expressions: celExpressions(), customTypes: 'any' })
const open = () => openLearner({ tools, config: document })

/** @param {Answer} answer */
const tell = (answer) => parentPort?.postMessage(answer)

/** @param {readonly SentLog[]} logs @returns {readonly (readonly SessionEvent[])[]} */
function readLogs(logs) {
  return logs.map(({ session, texts }) =>
    texts.flatMap((text) =>
      JSON.parse(`[${text}]`).map(
        /** @param {readonly [number, number, string, unknown]} row */
        ([seq, at, type, data]) => ({ session, seq, at, type, data }),
      ),
    ),
  )
}

const totals = { good: NO_COUNTS, bad: NO_COUNTS }
let day = { counts: NO_COUNTS, added: open(), removed: open() }

/** Null: another format, or damaged. @param {Uint8Array} bytes */
function readCounts(bytes) {
  try {
    return decodeCounts(bytes)
  } catch {
    return null
  }
}

/** @param {Uint8Array | null} bytes */
function openDay(bytes) {
  const counts = bytes === null ? NO_COUNTS : readCounts(bytes)
  // A tool that is looked at now was left out there.
  const isUsed = counts !== null && !tools.some((tool) => counts.groups.get('skipped')?.has(tool))
  day = { counts: counts !== null && isUsed ? counts : NO_COUNTS, added: open(), removed: open() }
  tell({ kind: 'opened', isUsed })
}

/** @param {Label} label */
function closeDay(label) {
  const { counts, added, removed } = day
  const sum = subtractCounts(addCounts(counts, added.counts()), removed.counts())
  const isNegative = [...sum.groups.values()].some((group) =>
    [...group.values()].some((count) => count < 0),
  )
  // What was taken out had been counted in another way.
  if (isNegative) return tell({ kind: 'inexact' })
  totals[label] = addCounts(totals[label], sum)
  tell({ kind: 'counted', counts: encodeCounts(sum) })
}

/** True once the time for questions is over. @returns {() => boolean} */
function openDeadline() {
  const until = performance.now() + PROOF_MS
  return () => performance.now() > until
}

function openTests() {
  if (!compiled.ok) throw new Error('The config does not compile.')
  const isAborted = openDeadline()
  const options = { minSessions, dismissed: new Set(dismissed), youngTools }
  const proposals = propose(totals, document, options).filter(
    (one) => !isImplied(compiled.config, one, { isAborted }),
  )
  tell({ kind: 'proposed', rules: proposals.length })
  return openProposalTests(compiled.config, proposals)
}

/** @param {readonly TestedProposal[]} kept */
function openTogether(kept) {
  if (!compiled.ok) throw new Error('The config does not compile.')
  const isAborted = openDeadline()
  const rules = kept.map(({ proposal }) => proposal)
  return openTogetherTest(compiled.config, rules, { isAborted })
}

/** @type {ReturnType<typeof openTests> | null} */
let tests = null
/** @type {readonly TestedProposal[]} */
let tested = []
/** @type {ReturnType<typeof openTogether> | null} */
let together = null

/** @param {TestedProposal} one @returns {FoundRule} */
function toFound({ proposal, good, bad }) {
  const { id, kind, group, sentence, unknownEffects } = proposal
  const placed = /** @type {FoundRule['placed']} */ ({
    pointer: proposal.pointer,
    rule: proposal.rule,
  })
  const evidence = describeEvidence(proposal, minSessions)
  return { id, kind, group, sentence, unknownEffects, placed, evidence, good, bad }
}

/** The busiest, by name. */
function listSkipped() {
  const calls = [...(totals.good.groups.get('skipped') ?? [])].sort(([, a], [, b]) => b - a)
  return calls
    .slice(0, MOST_SKIPPED)
    .map(([tool]) => tool)
    .sort()
}

/** @returns {Found} */
function sumUp() {
  const all = together?.result() ?? null
  return {
    good: totals.good.sessions,
    bad: totals.bad.sessions,
    skippedTools: listSkipped(),
    rules: tested.filter(({ isKept }) => isKept).map(toFound),
    refused: tested.filter(({ isKept }) => !isKept).map(toFound),
    together: all && {
      good: all.good,
      problems: all.problems.map(({ message }) => message),
      isTrap: all.trap !== null,
    },
  }
}

function choose() {
  tested = tests?.results() ?? []
  const kept = tested.filter(({ isKept }) => isKept)
  together = kept.length < 2 ? null : openTogether(kept)
  tell({ kind: 'proposed', rules: kept.length })
}

/** @param {Sent} sent */
function read(sent) {
  switch (sent.kind) {
    case 'open':
      return openDay(sent.counts)
    case 'close':
      return closeDay(sent.label)
    case 'propose':
      tests = openTests()
      return
    case 'choose':
      return choose()
    case 'end':
      return tell({ kind: 'found', found: sumUp() })
    default:
      for (const log of readLogs(sent.logs)) readLog(sent, log)
      return tell({ kind: 'ready' })
  }
}

/** @param {Extract<Sent, { readonly logs: unknown }>} sent @param {readonly SessionEvent[]} log */
function readLog(sent, log) {
  if (sent.kind === 'add') day.added.add(log)
  else if (sent.kind === 'subtract') day.removed.add(log)
  else if (sent.kind === 'test') tests?.add(sent.label, log)
  else together?.add(log)
}

tell({ kind: compiled.ok ? 'ready' : 'unreadable' })
parentPort?.on('message', read)
