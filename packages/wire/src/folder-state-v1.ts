import * as z from 'zod/v4'
import { VersionNumber } from './manage-v1.ts'

const FolderEntry = z.strictObject({
  /** Version from which the file was read or of which it became a draft; null: none. */
  version: VersionNumber.nullable(),
  /** SHA-256 of the server's text, in hex. */
  text: z.string(),
  /** Draft as last seen by this folder; null: none. */
  draft: z.strictObject({ id: z.string(), revision: VersionNumber }).nullable(),
})
export type FolderEntry = z.output<typeof FolderEntry>

export const FolderStateV1 = z.strictObject({
  state_version: z.literal(1),
  configs: z.record(z.string(), FolderEntry),
})
