import { Buffer } from 'node:buffer'
import fs from 'node:fs'

/** Returns the last part of the file at `path`, at most `bytes` long; null: it cannot be read. */
export type ReadTail = (path: string, bytes: number) => string | null

/** Reads the end of a harness's session file. The file grows without bound, and a hook must be answered in milliseconds. */
export const readFileTail: ReadTail = (path, bytes) => {
  let file: number | null = null
  try {
    file = fs.openSync(path, 'r')
    const { size } = fs.fstatSync(file)
    const buffer = Buffer.alloc(Math.min(size, bytes))
    const read = fs.readSync(file, buffer, 0, buffer.length, size - buffer.length)
    return buffer.toString('utf8', 0, read)
  } catch {
    // A session that the harness does not store has no file, so its outcomes stay unknown.
    return null
  } finally {
    if (file !== null) fs.closeSync(file)
  }
}
