// A file that cannot be determined is `unknown`, and unknown denies.
import type { FileFact } from '@signalbox/core'
import { fileFactAt, isLinkAt, UNKNOWN_FILE } from './confined-file.ts'

/** Source of facts about files. A look-up that rejects, or takes longer than 5 s, is unknown. */
export interface FileLookup {
  /** `relativePath` is in normal form: relative to the workspace, without `..`. */
  lookUp(relativePath: string): Promise<FileFact>
  /** False also if nothing exists there. Called for a folder that `..` follows in a path. Absent: unknown, so that a write through it is denied. */
  isLink?(relativePath: string): Promise<boolean | 'unknown'>
}

export const noFiles: FileLookup = { lookUp: async () => UNKNOWN_FILE }

/** Files below `root`, an absolute path; a link that leads outside is unknown. `lookUp` never rejects. */
export function folderLookup(root: string): FileLookup {
  return {
    lookUp: (relativePath) => fileFactAt(root, relativePath).catch(() => UNKNOWN_FILE),
    isLink: (relativePath) => isLinkAt(root, relativePath),
  }
}
