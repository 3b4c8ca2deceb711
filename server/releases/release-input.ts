// Forms use these shapes too, so nothing of the server is imported.
import type { SessionEvent } from '@signalbox/core'
import { EnvironmentName } from '@signalbox/wire'
import { z } from 'zod'
import { DraftId, PromptInput, Revision, VersionNumber } from '@/server/platform/trpc/inputs.ts'

/** Gates that a user may acknowledge and pass. */
export const ASKING = ['runtimes', 'backtest', 'cases', 'claim_unknown'] as const
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

/** Fields of every release request. The note is trimmed when stored. */
export const ReleaseInput = PromptInput.extend({
  environment: EnvironmentName,
  note: z.string().max(2_000, 'A note has at most 2,000 characters.').nullable().default(null),
  typedName: z.string().max(64).nullable().default(null),
  /** Gates that asked and that the user acknowledged. */
  acknowledged: z.array(z.enum(ASKING)).max(ASKING.length).default([]),
  /** Absent: the release goes to all new sessions at once. */
  stage: z.object({ share: ShareInput, guard: GuardInput }).optional(),
  /** Compares sessions of the release with those before it, for a limited time. */
  watch: WatchInput.optional(),
  /** Running sessions take the version immediately if it is at least as strict as theirs. */
  tighten: z.boolean().default(false),
})

export const DecideInput = PlaceInput.extend({
  digest: z.string().min(1).max(100),
  expectedLive: VersionNumber.nullable(),
  decision: z.enum(['approved', 'refused']),
  note: ReleaseInput.shape.note,
})

export const WordsInput = ReleaseInput.pick({ note: true, typedName: true })

export const PLAN_GOES_TO_ALL = 'A planned release goes to every new session.'

export const DueInput = z.object({
  dueAt: z.int().min(0).max(8_640_000_000_000_000),
  /** Time zone in which it was chosen, such as `Europe/Berlin`. */
  zone: z.string().min(1).max(64),
})

export const MovePlanInput = DueInput.extend({
  id: z.string().min(1).max(64),
  expectedLive: VersionNumber.nullable(),
})

export const SubjectInput = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('draft'), draftId: DraftId, revision: Revision }),
  z.object({ kind: z.literal('version'), version: VersionNumber }),
])

/** Gates that are evaluated again when a planned release is due, so a plan can be made before they pass. */
const WAITING = ['approvals', 'claim_broken', ...ASKING] as const

/** A claim that is broken or not known, with its answer (specs/prove.md). Markdown code spans mark names. */
export interface UnmetClaim {
  readonly id: string
  /** The question as a sentence. */
  readonly question: string
  readonly expect: 'never' | 'possible'
  readonly answer: string
  /** The shortest session that was found; null: the answer has none. */
  readonly example: {
    readonly events: readonly SessionEvent[]
    /** A line for each event. */
    readonly lines: readonly string[]
  } | null
}

/**
 * `id`: reason of the refusal. `missing`: refused. `ask`: refused unless the request answers, by acknowledging the gate, writing the note
 * or typing the name. `open`: nothing is known, and nothing is required.
 */
export interface Gate {
  readonly id:
    | (typeof WAITING)[number]
    | 'archived'
    | 'stale'
    | 'problems'
    | 'unchanged'
    | 'behind'
    | 'base_required'
    | 'note_required'
    | 'name_required'
    | 'permission'
    | 'moved'
    | 'nothing_before'
    | 'looser'
  readonly state: 'passed' | 'missing' | 'ask' | 'open'
  /** Without a period. A refusal has the same sentence. */
  readonly sentence: string
  /** Label of the checkbox that acknowledges it; null: it is answered in another way, or not at all. */
  readonly question: string | null
  /** Only with `claim_broken` and `claim_unknown`, unless every claim holds. */
  readonly claims?: readonly UnmetClaim[]
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
