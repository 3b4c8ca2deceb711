// Markdown code spans mark names.

import { countText, plural, pluralize } from '../../model/count-text.ts'
import { getOwn, type JsonObject, type JsonValue } from '../../model/json.ts'
import type { ExpressionPlace } from './expression-names.ts'

/** Without a period. */
type Sentence = (params: JsonObject) => string

export interface Sentences {
  readonly [code: string]: Sentence
}

interface Labeled<Name> {
  readonly field: Name
  readonly label: string
  readonly hint?: string
}

/** A field of the form that edits a rule, or several fields side by side (`row`) or collapsed (`details`). */
export type FormField<Name extends string = string> =
  | (Labeled<Name> & {
      readonly control: 'names'
      /** Label of the button that adds a name. Absent: `add tool`. */
      readonly adding?: string
      /** True: the rule needs the list, so removing the last item leaves `[]`. */
      readonly isRequired?: true
    })
  | (Labeled<Name> & { readonly control: 'number'; readonly placeholder?: number })
  | (Labeled<Name> & {
      readonly control: 'expression'
      readonly place: ExpressionPlace
      readonly placeholder?: string
      /** True: when emptied, the field stays in the document as "". */
      readonly isRequired?: true
    })
  | (Labeled<Name> & {
      readonly control: 'text'
      /** True: the text is the name of a tool. */
      readonly isTool?: true
      readonly placeholder?: string
      readonly isLong?: true
      /** True: when emptied, the field stays in the document as "". */
      readonly isRequired?: true
    })
  | (Omit<Labeled<Name>, 'hint'> & {
      readonly control: 'toggle'
      /** Value that an absent field means. */
      readonly absent: boolean
    })
  | (Labeled<Name> & {
      readonly control: 'choice'
      readonly options: readonly (readonly [value: string, label: string])[]
      /** Value that an absent field means. Absent: the field is always present. */
      readonly absent?: string
    })
  | { readonly control: 'prerequisites' | 'checkers'; readonly field: Name }
  | { readonly control: 'note'; readonly text: string }
  | { readonly control: 'row'; readonly fields: readonly FormField<Name>[] }
  | {
      readonly control: 'details'
      readonly label: string
      readonly fields: readonly FormField<Name>[]
    }

export interface RuleForm<Document> {
  readonly label: string
  /** One line about the effect of a rule, for a user who chooses a type. */
  readonly about: string
  /** Smallest useful rule of the type. Its id is a suggestion: the code that adds the rule makes it unique. */
  readonly sample: Document
  readonly fields: readonly FormField<keyof Document & string>[]
}

export interface RuleWords<Document> {
  describe(document: Document): string
  readonly sentences: Sentences
}

export function names(items: readonly string[], joint?: 'or'): string {
  const quoted = items.map((item) => `\`${item}\``)
  return join(quoted, joint) || 'no tool'
}

function join(items: readonly string[], joint: 'and' | 'or' = 'and'): string {
  const last = items.at(-1) ?? ''
  return items.length < 2 ? last : `${items.slice(0, -1).join(', ')} ${joint} ${last}`
}

/** `tools` undefined: every tool. */
export function describeCalls(tools: readonly string[] | undefined): string {
  return tools === undefined ? 'every call' : `calls of ${names(tools, 'or')}`
}

/** Formats a parameter of a reason code; a dash if an event of another build lacks it. */
export function text(value: JsonValue | undefined): string {
  if (typeof value === 'number') return countText(value)
  return typeof value === 'string' ? value : '–'
}

export function counted(value: JsonValue | undefined, noun: string): string {
  return typeof value === 'number' ? plural(value, noun) : `– ${pluralize(noun)}`
}

export function list(value: JsonValue | undefined): string {
  return Array.isArray(value) ? join(value.map(text)) : '–'
}

export function isOne(value: JsonValue | undefined): boolean {
  return Array.isArray(value) && value.length === 1
}

export function byWhom(value: JsonValue | undefined): string {
  return typeof value === 'string' ? ` (${value})` : ''
}

export function mergeSentences(words: readonly { readonly sentences: Sentences }[]): Sentences {
  return Object.assign({}, ...words.map(({ sentences }) => sentences))
}

/** An unknown code, from a newer build, is returned unchanged. */
export function renderSentence(
  sentences: Sentences,
  { code, params }: { readonly code: string; readonly params: JsonObject },
): string {
  const render = getOwn(sentences, code)
  return render === undefined ? code : render(params)
}
