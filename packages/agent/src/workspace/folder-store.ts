// Files of a folder on disk, confined to it: no path and no link leads outside. Links are resolved before a file is opened, so a program
// that replaces folders by links at that moment is not stopped; that needs an operating-system sandbox.
import { randomBytes } from 'node:crypto'
import type { Dirent } from 'node:fs'
import fs from 'node:fs/promises'
import path from 'node:path'
import type { FileFact } from '@signalbox/core'
import { confinedPath, fileFactAt, isMissing, UNKNOWN_FILE } from '@signalbox/runtime/facts'
import {
  type FileStore,
  outside,
  pathIn,
  type StoredFile,
  unavailable,
  type WorkspaceEntry,
} from './file-store.ts'

export class FolderStore implements FileStore {
  readonly root: string
  /** Absolute paths of the folders that `save` created. */
  readonly #made = new Set<string>()

  constructor(root: string) {
    this.root = path.resolve(root)
  }

  stat(file: string): Promise<FileFact> {
    return fileFactAt(this.root, file).catch(() => UNKNOWN_FILE)
  }

  async load(file: string): Promise<StoredFile | null> {
    const place = await this.#resolvePath(file)
    try {
      const stat = await fs.stat(place)
      return { bytes: await fs.readFile(place), mode: stat.mode & 0o7777 }
    } catch (error) {
      if (isMissing(error)) return null
      throw failed(file, 'cannot be read', error)
    }
  }

  async save(file: string, { bytes, mode }: StoredFile): Promise<void> {
    const place = await this.#resolvePath(file)
    const scratch = `${place}.${randomBytes(6).toString('hex')}.tmp`
    try {
      await this.#makeFolder(path.dirname(place))
      await refuseFolder(place)
      await fs.writeFile(scratch, bytes, { flag: 'wx' })
      const kept = mode ?? (await statMode(place))
      if (kept !== null) await fs.chmod(scratch, kept)
      await fs.rename(scratch, place)
    } catch (error) {
      // The first error is reported, not one of the cleanup.
      await fs.rm(scratch, { force: true }).catch(() => undefined)
      throw failed(file, 'cannot be written', error)
    }
  }

  async remove(file: string): Promise<void> {
    const place = await this.#resolvePath(file)
    try {
      await refuseFolder(place)
      await fs.rm(place, { force: true })
      await this.#removeMade(path.dirname(place))
    } catch (error) {
      if (isMissing(error)) return
      throw failed(file, 'cannot be removed', error)
    }
  }

  async list(folder: string): Promise<readonly WorkspaceEntry[]> {
    const place = await this.#resolvePath(folder)
    try {
      const entries = await fs.readdir(place, { withFileTypes: true })
      const sorted = entries.sort((a, b) => (a.name < b.name ? -1 : 1))
      const known = await Promise.all(sorted.map((entry) => this.#readEntry(folder, entry)))
      return known.flatMap((entry) => entry ?? [])
    } catch (error) {
      throw failed(folder, 'is not a folder that can be listed', error)
    }
  }

  async #resolvePath(file: string): Promise<string> {
    const place = await confinedPath(this.root, file)
    if (place === null) throw outside(file)
    return place
  }

  /** null: neither file nor folder, or a link that leads outside. */
  async #readEntry(folder: string, entry: Dirent): Promise<WorkspaceEntry | null> {
    const file = pathIn(folder, entry.name)
    if (entry.isDirectory()) return { path: file, kind: 'directory' }
    if (entry.isFile()) return { path: file, kind: 'file' }
    const { kind } = await this.stat(file)
    return kind === undefined ? null : { path: file, kind }
  }

  async #makeFolder(folder: string): Promise<void> {
    const first = await fs.mkdir(folder, { recursive: true })
    if (first === undefined) return
    for (let at = folder; at.length >= first.length; at = path.dirname(at)) this.#made.add(at)
  }

  async #removeMade(folder: string): Promise<void> {
    for (let at = folder; this.#made.has(at); at = path.dirname(at)) {
      try {
        await fs.rmdir(at)
      } catch {
        // The folder is not empty or may not be removed. An extra folder is harmless, and the file itself is gone.
        return
      }
      this.#made.delete(at)
    }
  }
}

async function statMode(place: string): Promise<number | null> {
  try {
    return (await fs.stat(place)).mode & 0o7777
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

async function refuseFolder(place: string): Promise<void> {
  try {
    if ((await fs.stat(place)).isDirectory()) throw new Error('It is a folder.')
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}

function failed(file: string, what: string, error: unknown): Error {
  const why = error instanceof Error ? `: ${error.message}` : ''
  return unavailable(file, `${what}${why}`, error)
}
