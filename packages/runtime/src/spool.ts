// Events on disk until the server has acknowledged them. Append-only segments in a folder of this process; folders of
// processes that died are adopted. An event is written before the decision that it records is acted on.
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { GuardrailError, messageOf } from './guardrail-error.ts'

const SEGMENT_LINES = 1000
const SEGMENT_BYTES = 1024 * 1024

export interface SpoolOptions {
  /** Folder shared by all processes of this installation. */
  readonly folder: string
  /** Bytes that this process may hold on disk; beyond them `append` throws. */
  readonly maxBytes: number
}

export interface Segment {
  readonly file: string
  readonly lines: string
  readonly count: number
}

/**
 * States of a segment: written (the last one of this process), waiting (complete), gone (acknowledged). Only the uploader
 * removes segments. Writes reach the operating system at once, so a killed process loses nothing; a power failure can lose
 * the last seconds, which the hash chain then shows as a gap.
 */
export class Spool {
  readonly #options: SpoolOptions
  readonly #own: string
  #open: { file: string; descriptor: number; lines: number; bytes: number } | null = null
  #heldBytes = 0
  #heldLines = 0
  #next = 1

  constructor(options: SpoolOptions) {
    this.#options = options
    this.#own = path.join(options.folder, `${process.pid}-${randomBytes(4).toString('hex')}`)
    fs.mkdirSync(this.#own, { recursive: true, mode: 0o700 })
  }

  /** Events that are not acknowledged yet, those adopted from dead processes included once they were read. */
  get heldLines(): number {
    return this.#heldLines
  }

  /** `line` without a line break. Throws when it could not be written: the caller must then deny. */
  append(line: string): void {
    const bytes = Buffer.byteLength(line) + 1
    if (this.#heldBytes + bytes > this.#options.maxBytes) {
      throw new GuardrailError(
        'spool_full',
        'The event spool is full because the control plane has not taken events for long.',
      )
    }
    try {
      const open = this.#segment()
      fs.writeSync(open.descriptor, `${line}\n`)
      open.lines += 1
      open.bytes += bytes
      if (open.lines >= SEGMENT_LINES || open.bytes >= SEGMENT_BYTES) this.#close()
    } catch (error) {
      throw new GuardrailError(
        'spool_failed',
        `The event could not be written to disk: ${messageOf(error)}.`,
        error,
      )
    }
    this.#heldBytes += bytes
    this.#heldLines += 1
  }

  #segment() {
    if (this.#open === null) {
      const file = path.join(this.#own, `${String(this.#next++).padStart(8, '0')}.ndjson`)
      this.#open = { file, descriptor: fs.openSync(file, 'a', 0o600), lines: 0, bytes: 0 }
    }
    return this.#open
  }

  #close(): void {
    if (this.#open === null) return
    fs.closeSync(this.#open.descriptor)
    this.#open = null
  }

  /** The oldest unacknowledged segment, orphans first; null when there is none. Completes the segment being written. */
  oldest(): Segment | null {
    const orphan = this.#orphans().flatMap((folder) => segmentsIn(folder))[0]
    if (orphan !== undefined) return readSegment(orphan)
    this.#close()
    const own = segmentsIn(this.#own)[0]
    return own === undefined ? null : readSegment(own)
  }

  /** Forgets an acknowledged segment. */
  remove(segment: Segment): void {
    if (!fs.existsSync(segment.file)) return
    const folder = path.dirname(segment.file)
    fs.rmSync(segment.file, { force: true })
    if (folder === this.#own) {
      this.#heldBytes -= Buffer.byteLength(segment.lines)
      this.#heldLines -= segment.count
    } else if (segmentsIn(folder).length === 0) {
      fs.rmSync(folder, { recursive: true, force: true })
    }
  }

  /** Keeps lines that the server refused for good, so that nothing vanishes silently. */
  setAside(lines: readonly string[]): void {
    fs.appendFileSync(path.join(this.#options.folder, 'rejected.ndjson'), `${lines.join('\n')}\n`, {
      mode: 0o600,
    })
  }

  /** Folders of processes that no longer run. Two adopters are harmless: the server stores each event once. */
  #orphans(): readonly string[] {
    return fs
      .readdirSync(this.#options.folder, { withFileTypes: true })
      .filter(
        (entry) => entry.isDirectory() && path.join(this.#options.folder, entry.name) !== this.#own,
      )
      .filter((entry) => !isAlive(Number(entry.name.split('-')[0])))
      .map((entry) => path.join(this.#options.folder, entry.name))
      .sort()
  }

  /** Removes the folder of this process when nothing is left in it. */
  close(): void {
    this.#close()
    if (segmentsIn(this.#own).length === 0) fs.rmSync(this.#own, { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

function segmentsIn(folder: string): readonly string[] {
  if (!fs.existsSync(folder)) return []
  return fs
    .readdirSync(folder)
    .filter((name) => name.endsWith('.ndjson'))
    .sort()
    .map((name) => path.join(folder, name))
}

/** A process killed in the middle of a write leaves half a line; it was never acted on, so it is left out. */
function readSegment(file: string): Segment {
  const text = fs.readFileSync(file, 'utf8')
  const lines = text.endsWith('\n') ? text : text.slice(0, text.lastIndexOf('\n') + 1)
  return { file, lines, count: lines.split('\n').length - 1 }
}
