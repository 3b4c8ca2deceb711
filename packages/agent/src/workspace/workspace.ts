import type { FileFact } from '@signalbox/core'
import { normalizePath } from '@signalbox/core/host'
import type { FileLookup } from '@signalbox/runtime'
import { UNKNOWN_FILE } from '@signalbox/runtime/facts'
import {
  type FileStore,
  outside,
  type StoredFile,
  unavailable,
  type WorkspaceEntry,
} from './file-store.ts'
import { FolderStore } from './folder-store.ts'
import { MemoryStore } from './memory-store.ts'
import { type Rollback, WriteJournal } from './write-journal.ts'

/**
 * File operations for tools. Paths are relative to the workspace, or absolute inside its root or mount point. A path that leads outside
 * rejects with GuardrailError `outside_workspace`, an impossible operation with `file_unavailable`.
 */
export interface WorkspaceAccess {
  /** Absolute folder on disk; null: the files are not on a disk. */
  readonly root: string | null
  /** True also for folders. */
  exists(path: string): Promise<boolean>
  /** Kind and fingerprint of the content; unknown if they cannot be determined. */
  stat(path: string): Promise<FileFact>
  read(path: string): Promise<string>
  readBytes(path: string): Promise<Uint8Array>
  /** Replaces the whole file, and creates parent folders. */
  write(path: string, content: string | Uint8Array): Promise<void>
  /** Deleting a missing file is not an error. */
  delete(path: string): Promise<void>
  /** Direct entries of the folder, sorted by name. Absent: the workspace itself. */
  list(folder?: string): Promise<readonly WorkspaceEntry[]>
}

export interface WorkspaceOptions {
  /** Prefix under which the tools see the workspace, e.g. `/workspace`. Absent: none. */
  readonly mountPoint?: string
}

/** Files of an agent. A write outside a transaction is committed immediately. */
export class Workspace implements WorkspaceAccess {
  readonly #store: FileStore
  readonly #journal: WriteJournal
  /** Prefix under which tools see the workspace; null: none. */
  readonly mountPoint: string | null

  constructor(store: FileStore, options: WorkspaceOptions = {}) {
    this.#store = store
    this.#journal = new WriteJournal(store)
    this.mountPoint = options.mountPoint ?? null
  }

  get root(): string | null {
    return this.#store.root
  }

  async exists(path: string): Promise<boolean> {
    return (await this.stat(path)).exists === true
  }

  async stat(path: string): Promise<FileFact> {
    return this.#store.stat(this.normalPath(path))
  }

  async read(path: string): Promise<string> {
    return new TextDecoder().decode(await this.readBytes(path))
  }

  async readBytes(path: string): Promise<Uint8Array> {
    const file = await this.#store.load(this.#filePath(path))
    if (file === null) throw unavailable(path, 'does not exist')
    return file.bytes
  }

  async write(path: string, content: string | Uint8Array): Promise<void> {
    await this.put(null, path, content)
  }

  async delete(path: string): Promise<void> {
    await this.put(null, path, null)
  }

  async list(folder = '.'): Promise<readonly WorkspaceEntry[]> {
    return this.#store.list(this.normalPath(folder))
  }

  /** Path relative to the workspace, without `.` and `..`. Throws GuardrailError `outside_workspace`. */
  normalPath(path: string): string {
    const { mountPoint } = this
    const context = { workspaceRoot: this.root ?? mountPoint, mountPoint }
    const normal = path === '' ? null : normalizePath(path, context)
    if (normal === null) throw outside(path)
    return normal
  }

  /** Begins a transaction. Its writes reach the files at once, and can be rolled back. */
  begin(): WorkspaceTransaction {
    return new WorkspaceTransaction(this, this.#journal)
  }

  lookup(): FileLookup {
    return {
      lookUp: (path) => this.#store.stat(path).catch(() => UNKNOWN_FILE),
      // A workspace resolves `..` in the text of a path, as rules do, before it opens a file.
      isLink: async () => false,
    }
  }

  /** Used by transactions. `owner` null: the write cannot be rolled back. `content` null: removes the file. */
  async put(
    owner: WorkspaceTransaction | null,
    path: string,
    content: string | Uint8Array | null,
  ): Promise<void> {
    await this.#journal.write(
      owner,
      this.#filePath(path),
      content === null ? null : toStoredFile(content),
    )
  }

  #filePath(path: string): string {
    const normal = this.normalPath(path)
    if (normal === '.') throw unavailable(path, 'is a folder')
    return normal
  }
}

/** States: open → committed | rolled back; both are final. Other calls see its writes while it is open. */
export class WorkspaceTransaction implements WorkspaceAccess {
  readonly root: string | null
  readonly #workspace: Workspace
  readonly #journal: WriteJournal
  #open = true

  constructor(workspace: Workspace, journal: WriteJournal) {
    this.root = workspace.root
    this.#workspace = workspace
    this.#journal = journal
  }

  exists(path: string): Promise<boolean> {
    return this.#workspace.exists(path)
  }

  stat(path: string): Promise<FileFact> {
    return this.#workspace.stat(path)
  }

  read(path: string): Promise<string> {
    return this.#workspace.read(path)
  }

  readBytes(path: string): Promise<Uint8Array> {
    return this.#workspace.readBytes(path)
  }

  list(folder?: string): Promise<readonly WorkspaceEntry[]> {
    return this.#workspace.list(folder)
  }

  async write(path: string, content: string | Uint8Array): Promise<void> {
    this.#requireOpen()
    await this.#workspace.put(this, path, content)
  }

  async delete(path: string): Promise<void> {
    this.#requireOpen()
    await this.#workspace.put(this, path, null)
  }

  async commit(): Promise<void> {
    this.#end()
    await this.#journal.commit(this)
  }

  /** Restores the files that this transaction wrote, except those that another writer has changed since. */
  async rollback(): Promise<Rollback> {
    this.#end()
    return this.#journal.rollback(this)
  }

  #end(): void {
    this.#requireOpen()
    this.#open = false
  }

  #requireOpen(): void {
    if (!this.#open) throw new Error('The tool call is over: its files can no longer be written.')
  }
}

function toStoredFile(content: string | Uint8Array): StoredFile {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  return { bytes, mode: null }
}

/** A folder on disk, confined to it. The folder must exist when a file is first used. */
export function folderWorkspace(root: string, options?: WorkspaceOptions): Workspace {
  return new Workspace(new FolderStore(root), options)
}

/** Files in memory, e.g. for tests. `files`: text by path. Throws GuardrailError `outside_workspace`. */
export function memoryWorkspace(
  files: { readonly [path: string]: string } = {},
  options?: WorkspaceOptions,
): Workspace {
  const stored = new Map<string, StoredFile>()
  const workspace = new Workspace(new MemoryStore(stored), options)
  for (const [path, text] of Object.entries(files))
    stored.set(workspace.normalPath(path), toStoredFile(text))
  return workspace
}
