// State of a folder of configs, `.signalbox/state.json`, about the control plane (specs/config-as-code.md).
import * as z from 'zod/v4'
import { VersionNumber } from './manage-v1.ts'

const FolderEntry = z.strictObject({
  /** The version that the file was taken from, or made a draft on; null: none. */
  version: VersionNumber.nullable(),
  /** SHA-256 of the text on the server, hex. */
  text: z.string(),
  /** The draft as this folder last saw it; null: none. */
  draft: z.strictObject({ id: z.string(), revision: VersionNumber }).nullable(),
})
export type FolderEntry = z.output<typeof FolderEntry>

/** `configs` by `ns/key`. */
export const FolderStateV1 = z.strictObject({
  state_version: z.literal(1),
  configs: z.record(z.string(), FolderEntry),
})
