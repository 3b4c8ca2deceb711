// A release is judged before its transaction, and the transaction reads the judgments (specs/prove.md).
import path from 'node:path'
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
/** For all claims of a config. */
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
    const answers = await askInTurn(
      document,
      open.map(({ question }) => question),
    )
    for (const [i, { questionDigest }] of open.entries())
      remember(toKey(digest, questionDigest), answers[i] ?? null)
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

/** A few at a time, so that searches leave processors to the rest of the machine. */
async function askInTurn(
  document: ConfigDocument,
  questions: readonly ClaimQuestion[],
): Promise<readonly Found[]> {
  while (searches.size >= MOST_AT_ONCE) await Promise.race(searches)
  const search = askWorker({ document, questions, mostMs: MOST_MS })
  searches.add(search)
  try {
    return await search
  } finally {
    searches.delete(search)
  }
}

/** Answers in the order of the questions; those that are missing at the end were not found in time or in memory. */
function askWorker(workerData: Work): Promise<readonly Found[]> {
  return new Promise((resolve) => {
    const answers: Found[] = []
    const worker = new Worker(path.join(/* turbopackIgnore: true */ process.cwd(), WORKER), {
      workerData,
      resourceLimits: MEMORY,
    })
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
