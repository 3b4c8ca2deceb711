// Look-ups of guardrails and the workspace of tools share this code, so that both see the same files.
import { createHash } from 'node:crypto'
import type { Stats } from 'node:fs'
import fs from 'node:fs/promises'
import path from 'node:path'
import type { FileFact } from '@signalbox/core'

export const UNKNOWN_FILE: FileFact = { exists: 'unknown' }
const MAX_HASHED_BYTES = 4 * 1024 * 1024

/** null: a link leads outside the folder or to nothing. The file need not exist. `relativePath` is relative to the root, without `..`. */
export async function confinedPath(root: string, relativePath: string): Promise<string | null> {
  const realRoot = await fs.realpath(root)
  const found = await realExisting(path.join(realRoot, relativePath))
  if (found === null) return null
  const inside = found.real === realRoot || found.real.startsWith(realRoot + path.sep)
  return inside ? path.join(found.real, ...found.missing) : null
}

interface Found {
  readonly real: string
  /** Names below it that do not exist. */
  readonly missing: readonly string[]
}

/** null: a link on the way leads to nothing, and writing through it would create its target. */
async function realExisting(wanted: string): Promise<Found | null> {
  const missing: string[] = []
  for (let at = wanted; ; at = path.dirname(at)) {
    try {
      return { real: await fs.realpath(at), missing }
    } catch (error) {
      if (!isMissing(error) || at === path.dirname(at)) throw error
    }
    if (await isThere(at)) return null
    missing.unshift(path.basename(at))
  }
}

async function isThere(link: string): Promise<boolean> {
  try {
    await fs.lstat(link)
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

/** Follows links in parent folders, not at the path itself. Rejects on a disk error. */
export async function isLinkAt(root: string, relativePath: string): Promise<boolean> {
  try {
    return (await fs.lstat(path.join(root, relativePath))).isSymbolicLink()
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

/** A file that a link leads outside is unknown. Rejects if the path cannot be resolved. */
export async function fileFactAt(root: string, relativePath: string): Promise<FileFact> {
  const file = await confinedPath(root, relativePath)
  if (file === null) return UNKNOWN_FILE
  try {
    const stat = await fs.stat(file)
    if (stat.isDirectory()) return { exists: true, kind: 'directory' }
    if (!stat.isFile()) return UNKNOWN_FILE
    return { exists: true, kind: 'file', fingerprint: await fingerprintFile(file, stat) }
  } catch (error) {
    return isMissing(error) ? { exists: false } : UNKNOWN_FILE
  }
}

async function fingerprintFile(file: string, stat: Stats): Promise<string> {
  if (stat.size > MAX_HASHED_BYTES) return `stat:${stat.size}:${stat.mtimeMs}`
  return contentFingerprint(await fs.readFile(file))
}

export function contentFingerprint(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`
}

export function isMissing(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    (error.code === 'ENOENT' || error.code === 'ENOTDIR')
  )
}
