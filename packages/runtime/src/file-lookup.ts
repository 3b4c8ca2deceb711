// Answers core's questions about files: from a folder on disk, confined to it, or from whatever the host provides.
// What cannot be told is `unknown`, and unknown denies.
import type { FileFact } from '@signalbox/core'
import { fileFactAt, UNKNOWN_FILE } from './workspace/confined-file.ts'

/** Where facts about files come from. What rejects, or takes longer than 5 s, is unknown. */
export interface FileLookup {
  /** `relativePath` is in normal form: relative to the workspace, without `..`. */
  lookUp(relativePath: string): Promise<FileFact>
}

export const noFiles: FileLookup = { lookUp: async () => UNKNOWN_FILE }

/** Files below `root`, an absolute path; a link that leads outside is unknown. Never rejects. */
export function folderLookup(root: string): FileLookup {
  return { lookUp: (relativePath) => fileFactAt(root, relativePath).catch(() => UNKNOWN_FILE) }
}
