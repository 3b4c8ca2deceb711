// Rules on what is in arguments and results. Detectors run in the runtime and enter as facts, so nothing here reads a value (specs/content-rules.md).
import type { RuleMode } from '../../model/rule.ts'
import type { Replaceable } from '../../model/state.ts'

interface ContentBase {
  /** Unique in the document. */
  readonly id: string
  readonly mode?: RuleMode
  readonly on: 'arguments' | 'result'
  /** Canonical names. Absent: every tool. */
  readonly tools?: readonly string[]
  /** `withhold`: results only, where `deny` means the same. */
  readonly action: 'deny' | 'withhold' | 'mask' | 'warn'
  /** Effect in a harness that cannot replace what the rule replaces. Absent: `refuse`, and the config is not used there. */
  readonly on_unsupported?: 'refuse' | 'warn'
}

export interface SecretsDocument extends ContentBase {
  readonly kind: 'secrets'
}

export interface PersonalDataDocument extends ContentBase {
  readonly kind: 'pii'
}

export interface PatternDocument extends ContentBase {
  readonly kind: 'pattern'
  /** RE2 syntax. */
  readonly matches: string
}

export interface SizeDocument extends ContentBase {
  readonly kind: 'size'
  /** In UTF-16 units of the text, or of the JSON of a value that is no text. */
  readonly max_chars: number
}

export type ContentRuleDocument =
  | SecretsDocument
  | PersonalDataDocument
  | PatternDocument
  | SizeDocument

export type ContentKind = ContentRuleDocument['kind']
export type ContentDocumentOf<Kind extends ContentKind> = Extract<
  ContentRuleDocument,
  { readonly kind: Kind }
>

export interface CompiledContentRule {
  readonly document: ContentRuleDocument
  readonly pointer: string
  readonly mode: RuleMode
}

/** Part that the harness must replace for the rule to act; null: none. */
function findReplacedPart({
  on,
  action,
}: Pick<ContentRuleDocument, 'on' | 'action'>): keyof Replaceable | null {
  if (action === 'warn') return null
  if (on === 'result') return 'results'
  return action === 'mask' ? 'arguments' : null
}

/** True: what the model reads of a result depends on the rule. */
export function replacesResult({ mode, document }: CompiledContentRule): boolean {
  return mode === 'enforce' && findReplacedPart(document) === 'results'
}

/** True if the harness lets the rule act as it is written. */
export function canKeep(
  rule: Pick<ContentRuleDocument, 'on' | 'action'>,
  replaceable: Replaceable,
): boolean {
  const part = findReplacedPart(rule)
  return part === null || replaceable[part]
}
