// Sessions in log files: which ones are examples, which ones are bad, and which ones are not used.
import fs from 'node:fs/promises'
import path from 'node:path'
import type { SessionEvent } from '@signalbox/core'
import { readEvents } from '../base/event-log.ts'
import { type Io, Unusable } from '../base/io.ts'

export type Log = readonly SessionEvent[]

/** Events up to here stay in memory; beyond it, files are read again for each pass. */
const MOST_KEPT = 500_000

/** Sessions in one or more files, each in one file. They can be read any number of times. */
export class SessionLogs {
  readonly #io: Io
  readonly #files: readonly string[]
  #kept: Log[] | null = []
  #isRead = false

  constructor(io: Io, files: readonly string[]) {
    this.#io = io
    this.#files = files
  }

  async *read(): AsyncGenerator<Log> {
    if (this.#isRead && this.#kept !== null) {
      yield* this.#kept
      return
    }
    const seen = new Map<string, string>()
    let events = 0
    for (const file of this.#files) {
      for (const log of await readSessions(this.#io, file)) {
        const [first] = log
        const before = first && seen.get(first.session)
        if (before !== undefined)
          throw new Unusable(`${first?.session} is in ${before} and in ${file}. Give it once.`)
        if (first !== undefined) seen.set(first.session, file)
        events += log.length
        this.#keep(log, events)
        yield log
      }
    }
    this.#isRead = true
  }

  #keep(log: Log, events: number): void {
    if (this.#isRead || events > MOST_KEPT) this.#kept = null
    else this.#kept?.push(log)
  }
}

async function readSessions(io: Io, file: string): Promise<readonly Log[]> {
  const sessions = new Map<string, SessionEvent[]>()
  for await (const event of readEvents(io, file)) {
    const known = sessions.get(event.session)
    if (known === undefined) sessions.set(event.session, [event])
    else known.push(event)
  }
  return [...sessions.values()]
}

/** Files, and the `.jsonl` files of folders. */
export async function listLogFiles(cwd: string, names: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    names.map(async (name) => {
      const place = path.resolve(cwd, name)
      const isFolder = await fs.stat(place).then(
        (stats) => stats.isDirectory(),
        () => false,
      )
      if (!isFolder) return [place]
      const entries = await fs.readdir(place, { recursive: true })
      return entries
        .filter((entry) => entry.endsWith('.jsonl'))
        .sort()
        .map((entry) => path.join(place, entry))
    }),
  )
  return found.flat()
}

/** Why a session is no example, as it is counted. */
export type Unused = keyof typeof UNUSED_WORDS

export const UNUSED_WORDS = {
  other_prompt: 'of another prompt',
  too_old: 'older',
  not_chosen: 'not listed in --good',
  not_ended: 'not ended',
  not_completed: 'not completed',
  stop_refused: 'ended with a refused stop',
  not_enforced: 'not fully enforced',
} as const

export interface Labels {
  /** Ids of sessions; null: every session that ended well is good. */
  readonly good: ReadonlySet<string> | null
  readonly bad: ReadonlySet<string>
  /** Epoch ms; null: any. */
  readonly since: number | null
  /** `ns/key`. */
  readonly prompt: string
}

export function findPrompt(log: Log): string | null {
  const started = log.find((event) => event.type === 'session.started')
  return started?.type === 'session.started' ? `${started.data.ns}/${started.data.key}` : null
}

export function labelSession(log: Log, labels: Labels): 'good' | 'bad' | Unused {
  const { good, bad, since, prompt } = labels
  const [first] = log
  if (first === undefined || findPrompt(log) !== prompt) return 'other_prompt'
  if (since !== null && first.at < since) return 'too_old'
  if (bad.has(first.session)) return 'bad'
  if (good !== null) return good.has(first.session) ? 'good' : 'not_chosen'
  return judgeEnd(log) ?? 'good'
}

/** The runtime's own check at the end of a session is no stop. */
function isLastStopRefused(log: Log): boolean {
  let isFinal = false
  let isRefused = false
  for (const event of log) {
    if (event.type === 'stop.attempted') isFinal = event.data.via === 'final'
    if (event.type === 'stop.decided' && !isFinal) isRefused = event.data.message !== null
  }
  return isRefused
}

/** null: it ended well. */
function judgeEnd(log: Log): Unused | null {
  const end = log.findLast((event) => event.type === 'session.ended')
  if (end?.type !== 'session.ended') return 'not_ended'
  if (end.data.reason !== 'completed') return 'not_completed'
  if (isLastStopRefused(log) || log.some(({ type }) => type === 'completion.overridden'))
    return 'stop_refused'
  return log.some(({ type }) => type === 'enforcement.lapsed') ? 'not_enforced' : null
}
