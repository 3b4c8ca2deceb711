import type { Problem } from '../../model/problem.ts'
import type { ProviderBase } from '../../model/trigger.ts'
import type { Placed } from '../base/place.ts'
import type { RuleForm, RuleWords } from '../base/rule-words.ts'

/** Suggested behavior. `differ`: another call; `wrap_up`: a stop or a completed plan step; `change`: a stop or a changed plan. */
export type AdvisedAct = 'differ' | 'wrap_up' | 'change'

export interface ProviderForm<Document extends ProviderBase> extends RuleForm<Document> {
  readonly isTalkative: boolean
  readonly isNoisy: boolean
  toolsNamed(document: Document, pointer: string): readonly Placed<string>[]
  advice(document: Document, pointer: string): readonly Problem[]
}

export interface ProviderWords<Document extends ProviderBase>
  extends Omit<RuleWords<Document>, 'sentences'> {
  readonly displayName: string
  /** null: the suggested behavior cannot be observed. */
  readonly act: { readonly kind: AdvisedAct; readonly text: string } | null
}
