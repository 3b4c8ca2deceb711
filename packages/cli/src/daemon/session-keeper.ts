// A session of a killed daemon continues with its next hook, or ends when none arrives.
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { longestApprovalSeconds } from '@signalbox/core/lint'
import type { GuardedSession, Guardrails, OnDiagnostic, SessionOptions } from '@signalbox/runtime'
import type { HookKey } from '@signalbox/runtime/harness'
import { JournalFile, type ReadJournal, readJournal } from './journal-file.ts'

export interface SessionKeeperParts {
  readonly guardrails: Pick<Guardrails, 'openSession' | 'ready'>
  readonly folder: string
  readonly report: OnDiagnostic
}

interface Kept {
  readonly journal: JournalFile
  readonly over: Promise<void>
  readonly end: () => void
}

const SUFFIX = '.ndjson'

export class SessionKeeper {
  readonly #parts: SessionKeeperParts
  readonly #live = new Map<string, Kept>()

  constructor(parts: SessionKeeperParts) {
    this.#parts = parts
  }

  /** Rejects, and so refuses the hook, when the session has a journal but cannot continue from it. */
  async open(key: HookKey, options: SessionOptions): Promise<GuardedSession> {
    const file = this.#journalFile(key)
    // A session that is ending keeps its journal until its end is recorded.
    for (let kept = this.#live.get(file); kept !== undefined; kept = this.#live.get(file))
      await kept.over
    return this.#begin(file, key, options)
  }

  /** Call when the session's end is recorded. */
  ended(key: HookKey): void {
    const file = this.#journalFile(key)
    const kept = this.#live.get(file)
    if (kept === undefined) return
    this.#live.delete(file)
    kept.journal.remove()
    kept.end()
  }

  /** Ends sessions of earlier daemons, as aborted, whose last event was recorded before that time (epoch milliseconds). */
  async endIdle(before: number): Promise<void> {
    for (const name of fs.readdirSync(this.#parts.folder)) {
      const file = path.join(this.#parts.folder, name)
      if (!name.endsWith(SUFFIX) || this.#live.has(file)) continue
      const stat = fs.statSync(file, { throwIfNoEntry: false })
      if (stat !== undefined && stat.mtimeMs < before) await this.#abort(file)
    }
  }

  /** Longest time that an approval of any live session may take, milliseconds; 0: no session asks for approvals. */
  get longestApprovalMs(): number {
    const seconds = [...this.#live.values()].map(({ journal: { config } }) =>
      config === null ? 0 : longestApprovalSeconds(config),
    )
    return Math.max(0, ...seconds) * 1000
  }

  close(): void {
    for (const { journal } of this.#live.values()) journal.close()
    this.#live.clear()
  }

  async #begin(file: string, key: HookKey, options: SessionOptions): Promise<GuardedSession> {
    const before = this.#read(file)
    const kept = keptIn(file, key)
    this.#live.set(file, kept)
    try {
      if (before === null) {
        await this.#parts.guardrails.ready()
        return this.#parts.guardrails.openSession({ ...options, journal: kept.journal })
      }
      kept.journal.reopen(before)
      // The session keeps its first folder, even when the agent has moved.
      const { workspaceRoot, ...rest } = options
      const { journal } = kept
      return this.#parts.guardrails.openSession({ ...rest, journal, resume: before.recorded })
    } catch (error) {
      this.#live.delete(file)
      kept.journal.close()
      kept.end()
      throw named(file, error)
    }
  }

  /** null: there is nothing to continue. */
  #read(file: string): ReadJournal | null {
    try {
      return readJournal(file)
    } catch (error) {
      throw named(file, error)
    }
  }

  /** Renames a journal that cannot be continued, so that it is reported once. */
  async #abort(file: string): Promise<void> {
    try {
      const journal = readJournal(file)
      if (journal === null) {
        fs.rmSync(file, { force: true })
        return
      }
      const session = await this.#begin(file, journal.key, {})
      await session.end({ reason: 'aborted' })
      this.ended(journal.key)
    } catch (error) {
      fs.renameSync(file, `${file}.broken`)
      this.#parts.report({
        level: 'error',
        code: 'session_not_ended',
        message: describeKeeperError(error),
      })
    }
  }

  #journalFile({ harness, session }: HookKey): string {
    const name = createHash('sha256').update(`${harness}\n${session}`).digest('hex').slice(0, 32)
    return path.join(this.#parts.folder, `${name}${SUFFIX}`)
  }
}

function keptIn(file: string, key: HookKey): Kept {
  let end: () => void = () => undefined
  const over = new Promise<void>((resolve) => {
    end = resolve
  })
  return { journal: new JournalFile(file, key), over, end }
}

function named(file: string, error: unknown): Error {
  return new Error(
    `the session cannot resume from its journal ${file}: ${describeKeeperError(error)} End the session in its harness and begin a new one`,
    { cause: error },
  )
}

function describeKeeperError(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.endsWith('.') ? text : `${text}.`
}
