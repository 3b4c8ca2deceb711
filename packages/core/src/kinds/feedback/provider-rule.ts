// Parts of a feedback provider type for people who read, write or lint it; all work from the document alone.
import type { Problem } from '../../model/problem.ts'
import type { ProviderBase } from '../../model/trigger.ts'
import type { Placed } from '../place.ts'
import type { RuleForm, RuleWords } from '../rule-words.ts'

/** Suggested behavior. `differ`: another call; `wrap_up`: a stop or a completed plan step; `change`: a stop or a changed plan. */
export type AdvisedAct = 'differ' | 'wrap_up' | 'change'

/** Part of a provider type for authors only. */
export interface ProviderForm<Document extends ProviderBase> extends RuleForm<Document> {
  /** True: the provider has feedback at every call. */
  readonly isTalkative: boolean
  /** True: feedback after every call would be too much. */
  readonly isNoisy: boolean
  toolsNamed(document: Document, pointer: string): readonly Placed<string>[]
  /** Lint warnings about the rule itself. */
  advice(document: Document, pointer: string): readonly Problem[]
}

export interface ProviderWords<Document extends ProviderBase>
  extends Omit<RuleWords<Document>, 'sentences'> {
  /** Provider name in the text for the agent. */
  readonly displayName: string
  /** null: the suggested behavior cannot be observed. */
  readonly act: { readonly kind: AdvisedAct; readonly text: string } | null
}
