import type { ProviderBase } from '../../model/trigger.ts'
import type { RuleWords } from '../base/rule-words.ts'

/** Suggested behavior. `differ`: another call; `wrap_up`: a stop or a completed plan step; `change`: a stop or a changed plan. */
export type AdvisedAct = 'differ' | 'wrap_up' | 'change'

export interface ProviderWords<Document extends ProviderBase>
  extends Omit<RuleWords<Document>, 'sentences'> {
  readonly displayName: string
  /** null: the suggested behavior cannot be observed. */
  readonly act: { readonly kind: AdvisedAct; readonly text: string } | null
}
