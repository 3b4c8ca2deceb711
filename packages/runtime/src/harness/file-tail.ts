// Reads the end of the file that a harness keeps of a session: it grows without bound, and a hook must be answered in
// milliseconds.

import { Buffer } from 'node:buffer'
import fs from 'node:fs'

/** The last part of the file at `path`, at most `bytes` long; null: it cannot be read. */
export type ReadTail = (path: string, bytes: number) => string | null

export const readFileTail: ReadTail = (path, bytes) => {
  let file: number | null = null
  try {
    file = fs.openSync(path, 'r')
    const { size } = fs.fstatSync(file)
    const buffer = Buffer.alloc(Math.min(size, bytes))
    const read = fs.readSync(file, buffer, 0, buffer.length, size - buffer.length)
    return buffer.toString('utf8', 0, read)
  } catch {
    // A session that is not kept has no file, and then no outcome is known.
    return null
  } finally {
    if (file !== null) fs.closeSync(file)
  }
}
