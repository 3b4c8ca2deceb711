// One session on disk, beside its journal: its opening, then every request that must not be decided twice and every answer. Each line is
// written before the client gets the answer, so that the next process repeats it.
import fs from 'node:fs'
import { isJsonObject, type JsonObject } from '@signalbox/core'
import type { AgentBody, OpenedSession } from '@signalbox/wire'

export interface Opening {
  /** Token, or socket, that opened the session. */
  readonly owner: string
  /** Digest of the body that identifies a repetition. */
  readonly digest: string
  readonly body: AgentBody<'sessions'>
  readonly answer: OpenedSession
  /** True: this process looks up files itself. */
  readonly isShared: boolean
}

/** A call as its later report needs it. */
export type RecordedCall = {
  readonly callId: string
  readonly tool: string
  readonly agent?: string
}

export interface KeptRequest {
  readonly digest: string
  /** Absent: not a request about a call. */
  readonly call?: RecordedCall
  /** null: the process ended before it answered. */
  readonly answer: JsonObject | null
}

type Line = {
  readonly id: string
  readonly digest?: string
  readonly call?: RecordedCall
  readonly answer?: JsonObject
}

export class SessionRecord {
  readonly #file: string
  /** null: closed. */
  #open: { readonly descriptor: number; bytes: number } | null
  #isRemoved = false

  constructor(file: string) {
    this.#file = file
    const descriptor = fs.openSync(file, 'a', 0o600)
    this.#open = { descriptor, bytes: fs.fstatSync(descriptor).size }
  }

  /** Ignored once the record is removed: the session has ended. Throws when the line is not stored. */
  append(line: Opening | Line): void {
    if (this.#isRemoved) return
    const open = this.#open
    if (open === null) throw new Error('The record is closed.')
    const text = `${JSON.stringify(line)}\n`
    const written = fs.writeSync(open.descriptor, text)
    if (written !== Buffer.byteLength(text)) {
      // A full disk stores only a part of the line; the next line must not be appended to it.
      this.#cut(open)
      throw new Error('The disk stored only part of the line.')
    }
    open.bytes += written
  }

  /** A torn line that cannot be removed is the last one, and the next process ignores it. */
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
    this.#isRemoved = true
    this.close()
    fs.rmSync(this.#file, { force: true })
  }
}

export interface ReadRecord {
  readonly opening: Opening
  /** By id of the request. */
  readonly kept: ReadonlyMap<string, KeptRequest>
}

/** null: there is no record, or only a torn first line. Cuts off a torn last line, whose answer no client received. */
export function readRecord(file: string): ReadRecord | null {
  if (!fs.existsSync(file)) return null
  const text = fs.readFileSync(file, 'utf8')
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  if (whole.length < text.length) fs.truncateSync(file, Buffer.byteLength(whole))
  const [first, ...rest] = whole
    .split('\n')
    .slice(0, -1)
    .map((line): unknown => JSON.parse(line))
  if (!isJsonObject(first)) return null
  const kept = new Map<string, KeptRequest>()
  // Only this process writes the file, and only its user can.
  for (const { id, digest = '', answer = null, ...call } of rest as Line[]) {
    kept.set(id, { ...call, digest, ...kept.get(id), answer })
  }
  return { opening: first as unknown as Opening, kept }
}
