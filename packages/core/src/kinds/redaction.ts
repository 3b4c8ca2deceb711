// Kinds of data that redaction rules remove from events. A kind is a field of the document, its lines here, and its part in redact.ts of packages/wire; a missing part does not compile.
import { isSameJson } from '../model/same-json.ts'
import { quoted } from './base/judgment.ts'
import type { FormField, RuleForm } from './base/rule-words.ts'

/** Data that the runtime removes from events before they leave the process. At least one kind is present. */
export interface RedactionRuleDocument {
  readonly id: string
  /** Property names, case-insensitive, whose values are replaced. */
  readonly keys?: readonly string[]
  /** Literal texts. Every string that contains one is replaced. */
  readonly literals?: readonly string[]
}

export type RedactionKind = Exclude<keyof RedactionRuleDocument, 'id'>

interface RedactionWords {
  readonly title: string
  readonly always: string
  readonly fact: string
  /** `before`: values of the older rule. */
  describe(values: readonly string[], before: readonly string[]): string
  summarize(described: string): string
}

export const REDACTION_WORDS = {
  keys: {
    title: 'Values of fields named',
    always: 'password, token, secret, api key, authorization, cookie and similar names',
    fact: 'keys',
    describe: (keys) => (keys.length === 0 ? 'none' : quoted(keys)),
    summarize: (keys) => `keys ${keys}`,
  },
  literals: {
    title: 'Texts',
    always: "the runtime's own API key",
    fact: 'texts',
    // Literals may be secrets, so they are counted and compared but never shown.
    describe: (literals, before) => {
      const isOther = before.length === literals.length && !isSameJson(before, literals)
      return `${literals.length} ${isOther ? 'other ' : ''}literal texts`
    },
    summarize: (texts) => texts,
  },
} as const satisfies { readonly [Kind in RedactionKind]: RedactionWords }

// Object.keys is typed as a list of strings.
export const REDACTION_KINDS = Object.keys(REDACTION_WORDS) as readonly RedactionKind[]

const FIELDS = {
  keys: {
    control: 'names',
    field: 'keys',
    label: 'Redact the values of properties',
    adding: 'add property',
  },
  literals: {
    control: 'names',
    field: 'literals',
    label: 'Redact these texts everywhere',
    adding: 'add text',
  },
} as const satisfies { readonly [Kind in RedactionKind]: FormField<Kind> }

export const REDACTION_FORM: Omit<RuleForm<RedactionRuleDocument>, 'about'> = {
  label: 'Redaction',
  sample: { id: 'secrets', keys: ['password'] },
  fields: Object.values(FIELDS),
}
