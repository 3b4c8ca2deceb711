// A release is judged before its transaction, and the transaction reads the judgments (specs/prove.md).
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { ConfigDocument, SessionEvent } from '@signalbox/core'
import { type ClaimState, describeAnswer, judgeClaim } from '@signalbox/core/prove'
import { registerCache } from '@/server/platform/base/process-memory.ts'
import { logger } from '@/server/platform/observability/log.mjs'
import type { ClaimQuestion, ClaimRow } from './claims.sql.ts'
import type { Found, Work } from './prove-worker.mjs'

export interface Judgment {
  readonly state: ClaimState
  /** The answer, or why there is none. Markdown code spans mark names. */
  readonly sentence: string
  /** Session of the answer; null: it has none. */
  readonly events: readonly SessionEvent[] | null
}

const WORKER = 'server/claims/prove-worker.mjs'
const MOST_MS = 5_000
/** For all claims of a config, and for the wait before. */
const MOST_MS_TOGETHER = 20_000
const MOST_AT_ONCE = 2
const MOST_REMEMBERED = 500
/** A busy machine may end a search early, so what was not known is asked again later. */
const UNKNOWN_FOR_MS = 600_000
const MEMORY = { maxOldGenerationSizeMb: 1024 }

interface Remembered {
  readonly found: Found | null
  readonly until: number
}

/** By digest of the flat document and of the question. */
const remembered = registerCache(new Map<string, Remembered>())
const searches = new Set<Promise<unknown>>()

const toKey = (digest: string, question: string): string => `${digest} ${question}`

function recall(key: string): Remembered | undefined {
  const known = remembered.get(key)
  return known !== undefined && known.until > Date.now() ? known : undefined
}

function remember(key: string, found: Found | null): void {
  const isKnown = found !== null && 'answer' in found && found.answer.answer !== 'unknown'
  const [oldest] = remembered.keys()
  if (remembered.size >= MOST_REMEMBERED && oldest !== undefined) remembered.delete(oldest)
  const until = isKnown ? Number.POSITIVE_INFINITY : Date.now() + UNKNOWN_FOR_MS
  remembered.set(key, { found, until })
}

export interface Judged {
  readonly digest: string
  /** Null: this build cannot read the version. */
  readonly document: ConfigDocument | null
}

/** Searches in a worker thread, unless it remembers the answers. Judgments by the digest of the question. Never rejects. */
export async function judgeClaims(
  { digest, document }: Judged,
  claims: readonly ClaimRow[],
): Promise<ReadonlyMap<string, Judgment>> {
  const open = claims.filter(({ questionDigest: id }) => recall(toKey(digest, id)) === undefined)
  if (document !== null && open.length > 0) {
    const questions = open.map(({ question }) => question)
    const ids = open.map(({ questionDigest }) => questionDigest)
    const { answers, isWhole } = await askOnce(toKey(digest, ids.join(' ')), document, questions)
    for (const [i, id] of ids.entries()) {
      // The first without an answer took too long; those after it were never asked.
      if (i < answers.length || (isWhole && i === answers.length))
        remember(toKey(digest, id), answers[i] ?? null)
    }
  }
  return new Map(
    claims.map((claim) => {
      const found = recall(toKey(digest, claim.questionDigest))?.found ?? null
      const judgment = document === null ? UNREAD : toJudgment(claim, found)
      return [claim.questionDigest, judgment]
    }),
  )
}

function toUnknown(why: string): Judgment {
  return { state: 'unknown', sentence: `Not known${why}`, events: null }
}

const UNREAD = toUnknown(': this server cannot read the version.')

function toJudgment({ question, expect }: ClaimRow, found: Found | null): Judgment {
  if (found === null) return toUnknown(', because the search did not end in time.')
  if ('fault' in found) return toUnknown(`: ${found.fault.message}`)
  const { answer } = found
  return {
    state: judgeClaim(expect, answer),
    sentence: describeAnswer(question, answer),
    events: answer.answer === 'trace' ? answer.events : null,
  }
}

interface Asked {
  readonly answers: readonly Found[]
  /** False: the search did not begin. */
  readonly isWhole: boolean
}

const NOT_ASKED: Asked = { answers: [], isWhole: false }

/** Searches by what they ask, so that a release and the dialog about it share one. */
const shared = new Map<string, Promise<Asked>>()

async function askOnce(
  key: string,
  document: ConfigDocument,
  questions: readonly ClaimQuestion[],
): Promise<Asked> {
  const running = shared.get(key) ?? askInTurn(document, questions)
  shared.set(key, running)
  try {
    return await running
  } finally {
    shared.delete(key)
  }
}

/** A few at a time, so that searches leave processors to the rest of the machine. Whoever waits too long learns nothing. */
async function askInTurn(
  document: ConfigDocument,
  questions: readonly ClaimQuestion[],
): Promise<Asked> {
  const until = Date.now() + MOST_MS_TOGETHER
  while (searches.size >= MOST_AT_ONCE) {
    const left = until - Date.now()
    if (left <= 0) return NOT_ASKED
    await Promise.race([...searches, pause(left, undefined, { ref: false })])
  }
  const search = askWorker({ document, questions, mostMs: MOST_MS, togetherMs: MOST_MS_TOGETHER })
  searches.add(search)
  try {
    return { answers: await search, isWhole: true }
  } finally {
    searches.delete(search)
  }
}

/** Null: the machine has no thread or memory for it. */
function openWorker(workerData: Work): Worker | null {
  try {
    return new Worker(path.join(/* turbopackIgnore: true */ process.cwd(), WORKER), {
      workerData,
      resourceLimits: MEMORY,
    })
  } catch (error) {
    logger.error({ err: error }, 'a search for claims could not begin')
    return null
  }
}

/** Answers in the order of the questions; those that are missing at the end were not found in time or in memory. */
function askWorker(workerData: Work): Promise<readonly Found[]> {
  return new Promise((resolve) => {
    const answers: Found[] = []
    const opened = openWorker(workerData)
    if (opened === null) return resolve(answers)
    const worker: Worker = opened
    const timer = setTimeout(end, MOST_MS_TOGETHER)
    function end(): void {
      clearTimeout(timer)
      resolve(answers)
      void worker.terminate()
    }
    worker.on('message', (found: Found) => {
      answers.push(found)
      if (answers.length === workerData.questions.length) end()
    })
    worker.on('error', (error) => {
      logger.error({ err: error }, 'a search for claims failed')
      end()
    })
    worker.on('exit', end)
  })
}
