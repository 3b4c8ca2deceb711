// What a redaction rule takes out of events, in kinds. A kind is a field of the document and its lines here; the runtime's part is redact.ts
// of packages/wire. Forgetting one does not compile.
import { isSameJson } from '../model/same-json.ts'
import { quoted } from './judgement.ts'

/** Data that the runtime removes from events before they leave the process. At least one kind is present. */
export interface RedactionRuleDocument {
  readonly id: string
  /** Property names (case-insensitive) whose values are replaced. */
  readonly keys?: readonly string[]
  /** Literal substrings that are replaced in every string that contains them. */
  readonly literals?: readonly string[]
}

export type RedactionKind = Exclude<keyof RedactionRuleDocument, 'id'>

interface RedactionWords {
  /** Heading of its column in a list of rules. */
  readonly title: string
  /** What is always redacted, without a rule. */
  readonly always: string
  /** Name of the values in a description of changes. */
  readonly fact: string
  /** The values for a description of changes; `before` are those of the older rule. */
  describe(values: readonly string[], before: readonly string[]): string
  /** The description, as one part of the rule's. */
  summarize(described: string): string
}

export const REDACTION_WORDS = {
  keys: {
    title: 'Values under the names',
    always: 'password, token, secret, api key, authorization, cookie and their like',
    fact: 'keys',
    describe: (keys) => (keys.length === 0 ? 'none' : quoted(keys)),
    summarize: (keys) => `keys ${keys}`,
  },
  literals: {
    title: 'Texts',
    always: "the runtime's own API key",
    fact: 'texts',
    // They may be secrets: they are counted and compared, never shown.
    describe: (literals, before) => {
      const isOther = before.length === literals.length && !isSameJson(before, literals)
      return `${literals.length} ${isOther ? 'other ' : ''}literal texts`
    },
    summarize: (texts) => texts,
  },
} as const satisfies { readonly [Kind in RedactionKind]: RedactionWords }

// TypeScript types the keys of every object as string.
export const REDACTION_KINDS = Object.keys(REDACTION_WORDS) as readonly RedactionKind[]
