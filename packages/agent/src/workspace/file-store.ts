import type { FileFact } from '@signalbox/core'
import { GuardrailError } from '@signalbox/runtime/base'

export interface StoredFile {
  readonly bytes: Uint8Array
  /** POSIX permission bits; null: the system has none. */
  readonly mode: number | null
}

export interface WorkspaceEntry {
  /** Relative to the workspace. */
  readonly path: string
  readonly kind: 'file' | 'directory'
}

/**
 * Storage of a workspace's files: a folder on disk, memory, or the host's own implementation. Paths are in normal form: relative to the
 * workspace, without `..`; the workspace itself is `.`. An impossible operation rejects with GuardrailError `file_unavailable` or
 * `outside_workspace`.
 */
export interface FileStore {
  /** Absolute folder on disk; null: the files are not on a disk. */
  readonly root: string | null
  /** Unknown if it cannot be determined. Never rejects for a missing file. */
  stat(path: string): Promise<FileFact>
  /** null: there is no such file. */
  load(path: string): Promise<StoredFile | null>
  /** Replaces the file completely or not at all, and creates parent folders. A null mode keeps the present one. */
  save(path: string, file: StoredFile): Promise<void>
  /** Also removes empty folders that `save` created. Removing a missing file is not an error. */
  remove(path: string): Promise<void>
  list(folder: string): Promise<readonly WorkspaceEntry[]>
}

export function unavailable(path: string, why: string, cause?: unknown): GuardrailError {
  return new GuardrailError('file_unavailable', `The file '${path}' ${why}.`, cause)
}

export function outside(path: string): GuardrailError {
  return new GuardrailError(
    'outside_workspace',
    `The path '${path}' leads outside the workspace. Use a path inside it.`,
  )
}

export function pathIn(folder: string, name: string): string {
  return folder === '.' ? name : `${folder}/${name}`
}
