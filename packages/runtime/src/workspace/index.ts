// The files that an agent works on: a folder on disk or memory, confined, with transactions (specs/library.md).
export type { FileStore, StoredFile, WorkspaceEntry } from './file-store.ts'
export {
  folderWorkspace,
  memoryWorkspace,
  Workspace,
  type WorkspaceAccess,
  type WorkspaceOptions,
  type WorkspaceTransaction,
} from './workspace.ts'
export type { Rollback } from './write-journal.ts'
