// An event is written before the decision that it records takes effect (specs/sessions.md). Folders of dead processes are adopted.
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { describeError, GuardrailError } from '../base/guardrail-error.ts'
import { ownerState, ownIdentity } from './process-identity.ts'

const SEGMENT_LINES = 1000
const SEGMENT_BYTES = 1024 * 1024
/** A segment whose owner cannot be checked is adopted after this time without a write. */
const ABANDONED_MS = 10 * 60_000
const MAX_REJECTED_BYTES = 64 * 1024 * 1024

export interface SpoolOptions {
  /** Folder shared by all processes of this installation. */
  readonly folder: string
  /** Bytes that this process may keep on disk; beyond them `append` throws. */
  readonly maxBytes: number
  /** Spool folders whose remaining events are adopted. Absent: `folder`. */
  readonly adopted?: () => readonly string[]
}

export interface Segment {
  readonly file: string
  readonly lines: string
  readonly count: number
}

interface Held {
  lines: number
  bytes: number
}

/**
 * States of a segment: written (the last one of this process), waiting (complete), gone (acknowledged). Only the uploader
 * removes segments. Writes reach the operating system immediately, so a killed process loses nothing; there is no fsync, so a
 * power failure can lose the last seconds, which the server then shows as a gap.
 */
export class Spool {
  readonly #options: SpoolOptions
  readonly #own: string
  readonly #held = new Map<string, Held>()
  #open: { readonly file: string; readonly descriptor: number; readonly held: Held } | null = null
  #heldBytes = 0
  #heldLines = 0
  #next = 1

  constructor(options: SpoolOptions) {
    this.#options = options
    this.#own = path.join(options.folder, `${ownIdentity()}-${randomBytes(4).toString('hex')}`)
  }

  get heldLines(): number {
    return this.#heldLines
  }

  /** Appends `line`, which has no line break. Throws, and keeps no part of it, if it cannot be written; the caller must then deny. */
  append(line: string): void {
    const text = `${line}\n`
    const bytes = Buffer.byteLength(text)
    if (this.#heldBytes + bytes > this.#options.maxBytes) {
      throw new GuardrailError(
        'spool_full',
        'The event spool is full because the control plane has not accepted events for a long time.',
      )
    }
    try {
      this.#write(text, bytes)
    } catch (error) {
      throw new GuardrailError(
        'spool_failed',
        `The event could not be written to disk: ${describeError(error)}.`,
        error,
      )
    }
  }

  #write(text: string, bytes: number): void {
    const open = this.#segment()
    const written = fs.writeSync(open.descriptor, text)
    if (written !== bytes) {
      // A full disk stores part of the line. The next line must not join it.
      fs.ftruncateSync(open.descriptor, open.held.bytes)
      throw new Error('the disk stored only part of it')
    }
    open.held.lines += 1
    open.held.bytes += bytes
    this.#heldBytes += bytes
    this.#heldLines += 1
    if (open.held.lines >= SEGMENT_LINES || open.held.bytes >= SEGMENT_BYTES) this.#complete()
  }

  #segment() {
    if (this.#open === null) {
      fs.mkdirSync(this.#own, { recursive: true, mode: 0o700 })
      const file = path.join(this.#own, `${String(this.#next).padStart(8, '0')}.ndjson`)
      const descriptor = fs.openSync(file, 'a', 0o600)
      this.#next += 1
      const held = { lines: 0, bytes: 0 }
      this.#held.set(file, held)
      this.#open = { file, descriptor, held }
    }
    return this.#open
  }

  #complete(): void {
    if (this.#open === null) return
    const { descriptor } = this.#open
    this.#open = null
    fs.closeSync(descriptor)
  }

  /** The oldest unacknowledged segment, orphans first; null: none. Completes the segment being written. */
  oldest(): Segment | null {
    const orphan = this.#orphans()[0]
    if (orphan !== undefined) return readSegment(orphan)
    this.#complete()
    for (const file of this.#held.keys()) {
      const segment = readSegment(file)
      if (segment !== null) return segment
      // An adopter sent and removed it, or a user removed it.
      this.#forget(file)
    }
    return null
  }

  remove(segment: Segment): void {
    fs.rmSync(segment.file, { force: true })
    this.#forget(segment.file)
    const folder = path.dirname(segment.file)
    if (folder !== this.#own && segmentsIn(folder).length === 0)
      fs.rmSync(folder, { recursive: true, force: true })
  }

  #forget(file: string): void {
    const held = this.#held.get(file)
    if (held === undefined) return
    this.#held.delete(file)
    this.#heldBytes -= held.bytes
    this.#heldLines -= held.lines
  }

  /** Stores lines that the server refused permanently, up to 64 MiB, so that no event disappears silently. */
  setAside(lines: readonly string[]): void {
    const file = path.join(this.#options.folder, 'rejected.ndjson')
    if ((fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0) > MAX_REJECTED_BYTES) return
    fs.appendFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 })
  }

  /** Two adopters of a segment are harmless: the server stores each event once. */
  #orphans(): readonly string[] {
    const { adopted, folder } = this.#options
    return (adopted?.() ?? [folder]).flatMap(listLeftSegments)
  }

  close(): void {
    this.#complete()
    if (segmentsIn(this.#own).length === 0) fs.rmSync(this.#own, { recursive: true, force: true })
  }
}

/** Segments of processes that no longer run. If the owner cannot be checked: segments without a write for 10 minutes. */
export function listLeftSegments(spool: string): readonly string[] {
  return listSpoolFolders(spool).flatMap((folder) => {
    const owner = ownerState(path.basename(folder))
    if (owner === 'running') return []
    return owner === 'gone' ? segmentsIn(folder) : segmentsIn(folder).filter(isAbandoned)
  })
}

function isAbandoned(file: string): boolean {
  const stat = fs.statSync(file, { throwIfNoEntry: false })
  return stat !== undefined && Date.now() - stat.mtimeMs > ABANDONED_MS
}

function listSpoolFolders(folder: string): readonly string[] {
  if (!fs.existsSync(folder)) return []
  return fs
    .readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => path.join(folder, entry.name))
    .sort()
}

function segmentsIn(folder: string): readonly string[] {
  if (!fs.existsSync(folder)) return []
  return fs
    .readdirSync(folder)
    .filter((name) => name.endsWith('.ndjson'))
    .sort()
    .map((name) => path.join(folder, name))
}

/** null: the file is gone. Leaves out half a line at the end: its process was killed during the write and never acted on it. */
function readSegment(file: string): Segment | null {
  if (!fs.existsSync(file)) return null
  const text = fs.readFileSync(file, 'utf8')
  const lines = text.endsWith('\n') ? text : text.slice(0, text.lastIndexOf('\n') + 1)
  return { file, lines, count: lines.split('\n').length - 1 }
}
