// A rule type as people read it: in sentences, and in the form that its authors fill in. Markdown code spans mark names.
import { countText, plural, pluralize } from '../model/count-text.ts'
import type { JsonObject, JsonValue } from '../model/json.ts'

/** Makes a reason code's sentence for an operator, without a full stop. */
type Sentence = (params: JsonObject) => string

export interface Sentences {
  readonly [code: string]: Sentence
}

interface Labeled<Name> {
  readonly field: Name
  readonly label: string
  readonly hint?: string
}

/** One field of the form that edits a rule, or several side by side (`row`) or folded (`details`). */
export type FormField<Name extends string = string> =
  | (Labeled<Name> & {
      readonly control: 'names'
      /** Absent: `add tool`. */
      readonly adding?: string
      /** The rule demands the list: its last item leaves `[]` behind. */
      readonly isRequired?: true
    })
  | (Labeled<Name> & { readonly control: 'number'; readonly placeholder?: number })
  | (Labeled<Name> & {
      readonly control: 'text'
      readonly placeholder?: string
      readonly isLong?: true
      /** Emptied, it stays in the document as "". */
      readonly isRequired?: true
    })
  | (Omit<Labeled<Name>, 'hint'> & {
      readonly control: 'toggle'
      /** The default value of an absent field. */
      readonly absent: boolean
    })
  /** Tools, each with its prerequisites; or checkers inside a checker. */
  | { readonly control: 'prerequisites' | 'checkers'; readonly field: Name }
  | { readonly control: 'note'; readonly text: string }
  | { readonly control: 'row'; readonly fields: readonly FormField<Name>[] }
  | {
      readonly control: 'details'
      readonly label: string
      readonly fields: readonly FormField<Name>[]
    }

/** The part of a rule type that only its authors need: apart from the rule, so that no page that shows decisions carries it. */
export interface RuleForm<Document> {
  /** Name of the type, as on the button that adds one. */
  readonly label: string
  /** The smallest useful rule of the type. Its id is a suggestion: the code that adds it makes it unique. */
  readonly sample: Document
  readonly form: readonly FormField<keyof Document & string>[]
}

/** The words of a rule type. `Document` is the type's document. */
export interface RuleWords<Document> {
  /** The rule in one sentence. */
  describe(document: Document): string
  /** By reason code. */
  readonly sentences: Sentences
}

export function names(items: readonly string[], joint: 'and' | 'or' = 'and'): string {
  const quoted = items.map((item) => `\`${item}\``)
  if (quoted.length < 2) return quoted[0] ?? 'no tool'
  return `${quoted.slice(0, -1).join(', ')} ${joint} ${quoted.at(-1) ?? ''}`
}

/** Absent: every tool. */
export function describeCalls(tools: readonly string[] | undefined): string {
  return tools === undefined ? 'every call' : `calls of ${names(tools, 'or')}`
}

/** A parameter of a reason code; a dash where an event of another build lacks it. */
export function text(value: JsonValue | undefined): string {
  if (typeof value === 'number') return countText(value)
  return typeof value === 'string' ? value : '–'
}

export function counted(value: JsonValue | undefined, noun: string): string {
  return typeof value === 'number' ? plural(value, noun) : `– ${pluralize(noun)}`
}

export function list(value: JsonValue | undefined): string {
  return Array.isArray(value) ? value.map(text).join(', ') : '–'
}

export function isOne(value: JsonValue | undefined): boolean {
  return Array.isArray(value) && value.length === 1
}

export function byWhom(value: JsonValue | undefined): string {
  return typeof value === 'string' ? ` (${value})` : ''
}
