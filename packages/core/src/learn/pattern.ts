import type { CheckerDocument } from '../kinds/checkers.ts'
import type { FeedbackProviderDocument } from '../kinds/feedback.ts'
import type { PolicyDocument } from '../kinds/policies.ts'
import type { LearnCounts } from './counts.ts'
import type { Effect } from './effects.ts'
import type { Share } from './statistics.ts'

export const PATTERN_KINDS = [
  'order',
  'fresh',
  'read',
  'finish',
  'file',
  'plan',
  'rate',
  'failures',
  'repeats',
  'values',
  'bound',
  'prefix',
  'file_facts',
] as const
export type PatternKind = (typeof PATTERN_KINDS)[number]

/** A rule, and the list or place of a config that it belongs to. */
export type PlacedRule =
  | { readonly pointer: '/policies/-'; readonly rule: PolicyDocument }
  | { readonly pointer: '/task_completion_checker'; readonly rule: CheckerDocument }
  | { readonly pointer: '/feedback_providers/-'; readonly rule: FeedbackProviderDocument }

/** Something that good sessions have in common. */
export interface Pattern {
  readonly kind: PatternKind
  readonly placed: PlacedRule
  /** Observation in the past tense and without a period; Markdown code spans mark names. */
  readonly sentence: string
  /** Good sessions that the rule is about, and those of them that break it. */
  readonly good: Share
  /** The same for bad sessions. */
  readonly bad: Share
  /** Share of sessions in which it would hold by chance; null: chance is not known. */
  readonly chance: number | null
  readonly surprise: number
  /** Tools that the rule takes for a change, though their effect is not known. */
  readonly unknownEffects: readonly string[]
}

export interface Samples {
  readonly good: LearnCounts
  readonly bad: LearnCounts
  readonly effect: (tool: string) => Effect
  readonly limits: PatternLimits
}

export interface PatternLimits {
  /** Good sessions that a pattern needs, at least. */
  readonly minSessions: number
  /** Share of them that keep it, at least. */
  readonly minKept: number
}
