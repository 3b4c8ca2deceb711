// Input shapes of drafts and releases, and how an input lets a gate pass. Forms use them too: no import of the server.
import { EnvironmentName } from '@signalbox/wire'
import { z } from 'zod'
import { DraftId, PromptInput, Revision, VersionNumber } from '@/server/platform/trpc/inputs.ts'

/** Gates that a person may pass with open eyes. */
export const ASKING = ['runtimes', 'backtest', 'cases'] as const
export type Asking = (typeof ASKING)[number]

export const PlaceInput = PromptInput.extend({ environment: EnvironmentName })

const GuardInput = z.object({
  metric: z.enum(['denials', 'blocks', 'overrides']),
  ratio: z.number().min(1).max(100),
  minSessions: z.int().min(5).max(100_000),
})

/** Per mille of new sessions. */
export const ShareInput = z.int().min(1).max(999)

export const WatchInput = z.object({ hours: z.int().min(1).max(336), guard: GuardInput })

/** Fields of every release request; the note is trimmed when stored. */
export const ReleaseInput = PromptInput.extend({
  environment: EnvironmentName,
  note: z.string().max(2_000, 'A note has at most 2,000 characters.').nullable().default(null),
  typedName: z.string().max(64).nullable().default(null),
  /** Gates that ask and were ticked. */
  acknowledged: z.array(z.enum(ASKING)).max(3).default([]),
  /** A share of new sessions first. */
  stage: z.object({ share: ShareInput, guard: GuardInput }).optional(),
  /** Compared with the sessions before, for a while. */
  watch: WatchInput.optional(),
  /** Running sessions take the version at once, where it is at least as strict as theirs. */
  tighten: z.boolean().default(false),
})

/** Answers a release approval. */
export const DecideInput = PlaceInput.extend({
  digest: z.string().min(1).max(100),
  expectedLive: VersionNumber.nullable(),
  decision: z.enum(['approved', 'refused']),
  note: ReleaseInput.shape.note,
})

/** Texts that an environment may require. */
export const WordsInput = ReleaseInput.pick({ note: true, typedName: true })

export const PLAN_GOES_TO_ALL = 'A planned release goes to every new session.'

/** When a planned release is made. */
export const DueInput = z.object({
  /** Epoch ms. */
  dueAt: z.int().min(0).max(8_640_000_000_000_000),
  /** Time zone in which it was chosen, such as `Europe/Berlin`. */
  zone: z.string().min(1).max(64),
})

/** Gives a planned release another time. */
export const MovePlanInput = DueInput.extend({
  id: z.string().min(1).max(64),
  expectedLive: VersionNumber.nullable(),
})

export const SubjectInput = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('draft'), draftId: DraftId, revision: Revision }),
  z.object({ kind: z.literal('version'), version: VersionNumber }),
])

/** Judged again when a planned release is due, so that a plan can be made without them. */
const WAITING = ['approvals', ...ASKING] as const

/**
 * One requirement of a release. `id` is the reason of the refusal when it is missing. `missing`: the release is refused. `ask`: it is
 * refused unless the request answers: the gate acknowledged, the note written, the name typed. `open`: nothing is known, and nothing is
 * required.
 */
export interface Gate {
  readonly id:
    | (typeof WAITING)[number]
    | 'archived'
    | 'stale'
    | 'problems'
    | 'unchanged'
    | 'behind'
    | 'note_required'
    | 'name_required'
    | 'permission'
  readonly state: 'passed' | 'missing' | 'ask' | 'open'
  /** Without its period; a refusal has the same sentence. */
  readonly sentence: string
  /** Beside the box that acknowledges it; null for a gate that is answered otherwise or not at all. */
  readonly question: string | null
}

export interface ReleaseAnswers {
  readonly environment: string
  readonly note: string | null
  readonly typedName: string | null
  /** Absent: none. */
  readonly acknowledged?: readonly Asking[]
}

export function isPassed({ id, state }: Gate, answers: ReleaseAnswers): boolean {
  if (state !== 'ask') return state !== 'missing'
  switch (id) {
    case 'note_required':
      return (answers.note ?? '').trim() !== ''
    case 'name_required':
      return answers.typedName === answers.environment
    default:
      return answers.acknowledged?.some((each) => each === id) === true
  }
}

export function isJudgedWhenDue({ id }: Gate): boolean {
  return WAITING.some((each) => each === id)
}
