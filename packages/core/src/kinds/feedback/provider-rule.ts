// A feedback provider type as people read it, and as its authors and lint do: from the document alone.
import type { Problem } from '../../model/problem.ts'
import type { ProviderBase } from '../../model/trigger.ts'
import type { Placed } from '../place.ts'
import type { RuleForm, RuleWords } from '../rule-words.ts'

/** Action that a delivery suggests: another call; a stop or a completed plan step; a stop or another plan. */
export type AdvisedAct = 'differ' | 'wrap_up' | 'change'

export interface ProviderWords<Document extends ProviderBase>
  extends Omit<RuleWords<Document>, 'sentences'> {
  /** Name in the text for the agent. */
  readonly displayName: string
  /** null: nothing that can be seen. */
  readonly act: { readonly kind: AdvisedAct; readonly text: string } | null
}

/** The part of a provider type that only its authors need. */
export interface ProviderForm<Document extends ProviderBase> extends RuleForm<Document> {
  /** It has feedback at every call. */
  readonly isTalkative: boolean
  /** Its feedback after every call would be too much. */
  readonly isNoisy: boolean
  toolsNamed(document: Document, pointer: string): readonly Placed<string>[]
  /** Warnings about the rule itself. */
  advice(document: Document, pointer: string): readonly Problem[]
}
