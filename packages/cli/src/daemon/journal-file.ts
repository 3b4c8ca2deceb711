// A line with the key and the first config, then every event, and a line with the version before each event that moves to a stricter one.
// Written before any answer, so that a session survives the kill of its daemon.
import fs from 'node:fs'
import { type ConfigDocument, isJsonObject } from '@signalbox/core'
import type { RecordedSession, SessionJournal } from '@signalbox/runtime'
import type { HookKey } from '@signalbox/runtime/harness'
import { parseConfigText } from '@signalbox/wire'

export interface ReadJournal {
  readonly key: HookKey
  readonly recorded: RecordedSession
  /** Length up to the last whole line; a torn line was never acted on. */
  readonly bytes: number
}

/** null: nothing was recorded. Throws when the file is not a journal. */
export function readJournal(file: string): ReadJournal | null {
  if (!fs.existsSync(file)) return null
  const text = fs.readFileSync(file, 'utf8')
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  const [first, ...events] = whole.split('\n').slice(0, -1)
  if (first === undefined || events.length === 0) return null
  const { key, config } = parseJournalHeader(first)
  const taken = events.flatMap((line) => (isTaken(line) ? [takenIn(line)] : []))
  const recorded = { events: events.filter((line) => !isTaken(line)), config, taken }
  return { key, recorded, bytes: Buffer.byteLength(whole) }
}

const TAKEN = '{"taken":'

function isTaken(line: string): boolean {
  return line.startsWith(TAKEN)
}

function takenIn(line: string): ConfigDocument {
  const parsed = parseConfigText(line.slice(TAKEN.length, -1))
  if (!parsed.ok) throw new Error('it contains an invalid version')
  return parsed.document
}

function parseJournalHeader(line: string): {
  readonly key: HookKey
  readonly config: RecordedSession['config']
} {
  const header: unknown = JSON.parse(line)
  if (!isJsonObject(header) || header['v'] !== 1) throw new Error('it is not a version 1 journal')
  const { harness, session, config } = header
  if (typeof harness !== 'string' || typeof session !== 'string')
    throw new Error('it does not name its session')
  const key = { harness, session }
  if (config === null) return { key, config: null }
  const parsed = parseConfigText(JSON.stringify(config) ?? '')
  if (!parsed.ok) throw new Error('it contains an invalid config')
  return { key, config: parsed.document }
}

export class JournalFile implements SessionJournal {
  readonly #file: string
  readonly #key: HookKey
  #config: RecordedSession['config'] = null
  #open: { readonly descriptor: number; bytes: number } | null = null

  constructor(file: string, key: HookKey) {
    this.#file = file
    this.#key = key
  }

  /** Config in force; null: none, or the session has not begun. */
  get config(): RecordedSession['config'] {
    return this.#config
  }

  reopen({ bytes, recorded }: ReadJournal): void {
    this.#config = recorded.taken?.at(-1) ?? recorded.config
    this.#openAt(bytes)
  }

  #openAt(bytes: number): void {
    this.close()
    fs.truncateSync(this.#file, bytes)
    this.#open = { descriptor: fs.openSync(this.#file, 'a', 0o600), bytes }
  }

  begin(config: RecordedSession['config']): void {
    fs.writeFileSync(this.#file, '', { mode: 0o600 })
    this.#config = config
    this.#openAt(0)
    this.append(JSON.stringify({ v: 1, ...this.#key, config }))
  }

  take(config: ConfigDocument): void {
    this.append(`${TAKEN}${JSON.stringify(config)}}`)
    this.#config = config
  }

  append(line: string): void {
    const open = this.#open
    if (open === null) throw new Error('The journal is closed.')
    const text = `${line}\n`
    const written = fs.writeSync(open.descriptor, text)
    if (written !== Buffer.byteLength(text)) {
      // A full disk stores only a part of the line; the next line must not be appended to it.
      this.#cut(open)
      throw new Error('The disk stored only part of the line.')
    }
    open.bytes += written
  }

  /** A torn line that cannot be removed is the last one, and the next daemon ignores it. */
  #cut({ descriptor, bytes }: { readonly descriptor: number; readonly bytes: number }): void {
    try {
      fs.ftruncateSync(descriptor, bytes)
    } catch {
      this.close()
    }
  }

  close(): void {
    if (this.#open !== null) fs.closeSync(this.#open.descriptor)
    this.#open = null
  }

  remove(): void {
    this.close()
    fs.rmSync(this.#file, { force: true })
  }
}
