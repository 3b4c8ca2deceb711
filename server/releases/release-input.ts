// Input shapes of drafts and releases.
import { EnvironmentName } from '@signalbox/wire'
import { z } from 'zod'
import { DraftId, PromptInput, Revision, VersionNumber } from '@/server/platform/trpc/inputs.ts'

const GuardInput = z.object({
  metric: z.enum(['denials', 'blocks', 'overrides']),
  ratio: z.number().min(1).max(100),
  minSessions: z.int().min(5).max(100_000),
})

/** Per mille of new sessions. */
export const ShareInput = z.int().min(1).max(999)

export const WatchInput = z.object({ hours: z.int().min(1).max(336), guard: GuardInput })

/** What every release is asked with; the note is trimmed when stored. */
export const ReleaseInput = PromptInput.extend({
  environment: EnvironmentName,
  note: z.string().max(2_000, 'A note has at most 2,000 characters.').nullable().default(null),
  typedName: z.string().max(64).nullable().default(null),
  /** Gates that ask and were ticked. */
  acknowledged: z
    .array(z.enum(['runtimes', 'backtest', 'cases']))
    .max(3)
    .default([]),
  /** A share of new sessions first. */
  stage: z.object({ share: ShareInput, guard: GuardInput }).optional(),
  /** Compared with the sessions before, for a while. */
  watch: WatchInput.optional(),
  /** Running sessions take the version at once, where it is at least as strict as theirs. */
  tighten: z.boolean().default(false),
})

/** What a release is about: a draft as it was looked at, or a version. */
export const SubjectInput = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('draft'), draftId: DraftId, revision: Revision }),
  z.object({ kind: z.literal('version'), version: VersionNumber }),
])

export const PlaceInput = PromptInput.extend({ environment: EnvironmentName })
