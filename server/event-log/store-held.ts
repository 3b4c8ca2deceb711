// A batch that is delivered again is stored once: (session, seq) is unique.
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { JsMsg } from '@nats-io/jetstream'
import {
  type IncomingLine,
  type LineProblem,
  readIncoming,
} from '@/server/ingest/batch/incoming.ts'
import { readLines } from '@/server/ingest/batch-lines.ts'
import { ingest } from '@/server/ingest/ingest.ts'
import { findKeyTarget, type GoneKey } from '@/server/platform/auth/api-key.ts'
import { findProjectCell } from '@/server/platform/auth/places.sql.ts'
import type { IngestTarget } from '@/server/platform/auth/scope.ts'
import { systemProject } from '@/server/platform/auth/system.ts'
import { isDatabaseAway, ServiceError } from '@/server/platform/base/errors.ts'
import { describeError } from '@/server/platform/base/failure.mjs'
import { inSqlTransaction } from '@/server/platform/db/sql-transaction.ts'
import { logEachMinute } from '@/server/platform/observability/log-each-minute.ts'
import { metrics } from '@/server/platform/observability/metrics.mjs'
import { writeTogether } from '@/server/platform/write-together.ts'
import { type DeadLetter, insertDeadLetters } from './dead-letters.sql.ts'
import { eventLog, FIELDS } from './event-log.ts'

const MOST_TOGETHER = 3_000
/** Transactions of one environment at a time: PostgreSQL stores one while the server prepares the other. */
const AT_ONCE = 2
const AGAIN_MS = 2_000
/** A batch that a working database refuses this often, with this pause, becomes a dead letter. */
const MOST_FAILURES = 20
const AFTER_FAILURE_MS = 30_000

const REASONS = {
  key_revoked: 'The API key was revoked before these events were stored.',
  project_deleted: 'The project was deleted before these events were stored.',
  not_stored: `The database refused these events ${MOST_FAILURES} times. The server's log has the reason.`,
} as const

const logFailure = logEachMinute('error', 'a batch of the event log is not stored')
const logLetters = logEachMinute('warn', 'acknowledged events are dead letters')

interface Held {
  readonly message: JsMsg
  readonly keyId: string
  readonly projectId: string
  readonly environment: string
  readonly events: number
  readonly isGzip: boolean
}

function readHeld(message: JsMsg): Held {
  const field = (name: keyof typeof FIELDS): string => message.headers?.get(FIELDS[name]) ?? ''
  return {
    message,
    keyId: field('key'),
    projectId: field('project'),
    environment: field('environment'),
    events: Number(field('events')),
    isGzip: field('encoding') === 'gzip',
  }
}

type Writer = (held: Held) => Promise<null>

export class HeldBatches {
  readonly #writers = new Map<string, Writer>()
  readonly #failures = new Map<number, number>()
  readonly #open = new Set<JsMsg>()

  get size(): number {
    return this.#open.size
  }

  /** Keeps the log from delivering them to another reader. Call it more often than `REDELIVER_MS`. */
  extend(): void {
    for (const message of this.#open) message.working()
  }

  /** Stores the batch and removes it from the log, or returns it to the log. Never rejects. */
  async store(message: JsMsg): Promise<void> {
    this.#open.add(message)
    const held = readHeld(message)
    try {
      const target = await findKeyTarget(held.keyId)
      if (typeof target !== 'string') await this.#writerFor(target)(held)
      else if (!(await handOn(held, target))) await bury(held, target)
      this.#failures.delete(message.seq)
      message.ack()
    } catch (error) {
      await this.#returnOrBury(held, error)
    } finally {
      this.#open.delete(message)
    }
  }

  async #returnOrBury(held: Held, error: unknown): Promise<void> {
    const { message } = held
    // A service error is a lock that another transaction held for too long.
    if (isDatabaseAway(error) || error instanceof ServiceError) return message.nak(AGAIN_MS)
    const failures = (this.#failures.get(message.seq) ?? 0) + 1
    logFailure({ cause: describeError(error), failures })
    this.#failures.set(message.seq, failures)
    if (failures < MOST_FAILURES) return message.nak(AFTER_FAILURE_MS)
    try {
      await bury(held, 'not_stored')
      this.#failures.delete(message.seq)
      message.ack()
    } catch {
      // The database is away now.
      message.nak(AFTER_FAILURE_MS)
    }
  }

  #writerFor(target: IngestTarget): Writer {
    const name = `${target.projectId} ${target.environment}`
    const writer =
      this.#writers.get(name) ??
      writeTogether<Held, null>({
        selectKeys: () => [],
        weigh: ({ events }) => events,
        most: MOST_TOGETHER,
        atOnce: AT_ONCE,
        isOnesFault: (error) => !isDatabaseAway(error),
        async write(batches) {
          await storeTogether(target, batches)
          return batches.map(() => null)
        },
      })
    this.#writers.set(name, writer)
    return writer
  }
}

/** Puts the batch of a project that was moved into the log of its cell. False: it was not moved. Rejects when that log does not take it. */
async function handOn({ projectId, message }: Held, reason: GoneKey): Promise<boolean> {
  const log = eventLog()
  if (reason !== 'project_deleted' || log === null) return false
  const cell = await findProjectCell(systemProject(projectId))
  if (cell === null || cell === log.cell) return false
  const fields = Object.values(FIELDS).map((name) => [name, message.headers?.get(name) ?? ''])
  const published = await log.publish({
    cell,
    partition: Number(message.subject.split('.').at(-1)),
    data: message.data,
    id: `${log.cell} ${message.seq}`,
    fields: Object.fromEntries(fields),
  })
  if (published !== 'held') throw new Error(`The event log of cell ${cell} takes no batch.`)
  return true
}

async function storeTogether(target: IngestTarget, batches: readonly Held[]): Promise<void> {
  const lines: IncomingLine[] = []
  const origins: Held[] = []
  for (const held of batches) {
    const { message, isGzip } = held
    const batch = await readLines([Buffer.from(message.data)], isGzip)
    if (!batch.ok) throw new Error(`A batch of the event log cannot be read: ${batch.reason}.`)
    // Lines beyond the limits were reported to their sender.
    for (const { text } of batch.lines) {
      lines.push({ number: lines.length + 1, text })
      origins.push(held)
    }
  }
  const incoming = readIncoming(lines)
  const toLetters = (problems: readonly LineProblem[]): readonly DeadLetter[] =>
    problems.flatMap((problem) => {
      const [held, line] = [origins[problem.line - 1], lines[problem.line - 1]]
      return held === undefined || line === undefined
        ? []
        : [toLineLetter(held, problem, line.text)]
    })
  const refused = toLetters(incoming.problems)
  if (incoming.sessions.size === 0) await writeLetters(refused)
  else {
    let letters = refused
    await ingest(target, incoming, async (sql, { problems }) => {
      letters = [...refused, ...toLetters(problems)]
      await insertDeadLetters(sql, letters)
    })
    countLetters(letters)
  }
}

function toLineLetter(
  { keyId, projectId, environment, message }: Held,
  { code, detail, session, seq }: LineProblem,
  text: string,
): DeadLetter {
  return {
    id: toLetterId([code, text]),
    projectId,
    environment,
    keyId,
    reason: code,
    detail,
    sessionId: session ?? null,
    seq: seq ?? null,
    events: 1,
    body: gzipSync(`${text}\n`),
    acceptedAt: message.time.getTime(),
  }
}

function toLetterId(parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return `dl_${hash.digest('base64url')}`
}

/** Makes the whole batch a dead letter. The content of a deleted project is deleted, too. */
async function bury(held: Held, reason: keyof typeof REASONS): Promise<void> {
  const { keyId, projectId, environment, events, isGzip, message } = held
  const body = isGzip ? message.data : gzipSync(message.data)
  const letter = {
    id: toLetterId([reason, message.data]),
    projectId,
    environment,
    keyId,
    reason,
    detail: REASONS[reason],
    sessionId: null,
    seq: null,
    events,
    body: reason === 'project_deleted' ? null : body,
    acceptedAt: message.time.getTime(),
  }
  await writeLetters([letter])
}

async function writeLetters(letters: readonly DeadLetter[]): Promise<void> {
  await inSqlTransaction((sql) => insertDeadLetters(sql, letters))
  countLetters(letters)
}

/** Called after the commit. */
function countLetters(letters: readonly DeadLetter[]): void {
  for (const { reason, events } of letters) metrics.deadLetters.inc({ reason }, events)
  const reasons = [...new Set(letters.map(({ reason }) => reason))]
  if (reasons.length > 0) logLetters({ letters: letters.length, reasons })
}
