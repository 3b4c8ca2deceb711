// Answers core's questions about files: from a folder on disk, confined to it, or from whatever the host provides.
// What cannot be told is `unknown`, and unknown denies.
import { createHash } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'
import type { FileFact } from '@signalbox/core'

export interface FileLookup {
  /** `relativePath` is in normal form: relative to the workspace, without `..`. */
  lookUp(relativePath: string): Promise<FileFact>
}

const UNKNOWN: FileFact = { exists: 'unknown' }
const MAX_HASHED_BYTES = 4 * 1024 * 1024

export const noFiles: FileLookup = { lookUp: async () => UNKNOWN }

export function folderLookup(root: string): FileLookup {
  return { lookUp: (relativePath) => lookUp(root, relativePath).catch(() => UNKNOWN) }
}

async function lookUp(root: string, relativePath: string): Promise<FileFact> {
  const realRoot = await fs.realpath(root)
  const wanted = path.join(realRoot, relativePath)
  const real = await realExisting(wanted)
  if (real !== realRoot && !real.startsWith(realRoot + path.sep)) return UNKNOWN
  try {
    const stat = await fs.stat(wanted)
    if (stat.isDirectory()) return { exists: true, kind: 'directory' }
    if (!stat.isFile()) return UNKNOWN
    return { exists: true, kind: 'file', fingerprint: await fingerprintOf(wanted, stat) }
  } catch (error) {
    return isMissing(error) ? { exists: false } : UNKNOWN
  }
}

/** Real path of the nearest ancestor that exists, so that a link cannot lead a new file outside. */
async function realExisting(wanted: string): Promise<string> {
  for (let at = wanted; ; at = path.dirname(at)) {
    try {
      return await fs.realpath(at)
    } catch (error) {
      if (!isMissing(error) || at === path.dirname(at)) throw error
    }
  }
}

async function fingerprintOf(
  file: string,
  stat: { readonly size: number; readonly mtimeMs: number },
): Promise<string> {
  if (stat.size > MAX_HASHED_BYTES) return `stat:${stat.size}:${stat.mtimeMs}`
  return `sha256:${createHash('sha256')
    .update(await fs.readFile(file))
    .digest('hex')}`
}

function isMissing(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    (error.code === 'ENOENT' || error.code === 'ENOTDIR')
  )
}
