// Files in memory. A folder exists while there is a file below it.
import type { FileFact } from '@signalbox/core'
import { contentFingerprint } from '@signalbox/runtime/facts'
import {
  type FileStore,
  pathIn,
  type StoredFile,
  unavailable,
  type WorkspaceEntry,
} from './file-store.ts'

export class MemoryStore implements FileStore {
  readonly root = null
  readonly #files: Map<string, StoredFile>

  constructor(files: Map<string, StoredFile>) {
    this.#files = files
  }

  async stat(path: string): Promise<FileFact> {
    const file = this.#files.get(path)
    if (file !== undefined)
      return { exists: true, kind: 'file', fingerprint: contentFingerprint(file.bytes) }
    return this.#isFolder(path) ? { exists: true, kind: 'directory' } : { exists: false }
  }

  async load(path: string): Promise<StoredFile | null> {
    if (this.#isFolder(path)) throw unavailable(path, 'is a folder')
    const file = this.#files.get(path)
    return file === undefined ? null : { ...file, bytes: file.bytes.slice() }
  }

  async save(path: string, { bytes, mode }: StoredFile): Promise<void> {
    if (this.#isFolder(path)) throw unavailable(path, 'is a folder')
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      const above = path.slice(0, at)
      if (this.#files.has(above)) throw unavailable(path, `lies below the file '${above}'`)
    }
    const kept = mode ?? this.#files.get(path)?.mode ?? null
    this.#files.set(path, { bytes: bytes.slice(), mode: kept })
  }

  async remove(path: string): Promise<void> {
    if (this.#isFolder(path)) throw unavailable(path, 'is a folder')
    this.#files.delete(path)
  }

  async list(folder: string): Promise<readonly WorkspaceEntry[]> {
    if (!this.#isFolder(folder)) throw unavailable(folder, 'is not a folder')
    const prefix = folder === '.' ? '' : `${folder}/`
    const entries = new Map<string, WorkspaceEntry>()
    for (const path of this.#files.keys()) {
      if (!path.startsWith(prefix)) continue
      const [name = '', below] = path.slice(prefix.length).split('/', 2)
      const kind = below === undefined ? 'file' : 'directory'
      entries.set(name, { path: pathIn(folder, name), kind })
    }
    return [...entries].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry)
  }

  #isFolder(path: string): boolean {
    if (path === '.') return true
    for (const file of this.#files.keys()) if (file.startsWith(`${path}/`)) return true
    return false
  }
}
