import { plural } from '../model/count-text.ts'
import type { RuleResult } from '../model/effect.ts'
import type { PlanStep, StopVia } from '../model/event.ts'
import type { ContentFinding, Facts } from '../model/fact.ts'
import type { JsonObject, JsonValue } from '../model/json.ts'
import type { CheckNode } from './reading/check-node.ts'

export type FactValue =
  | { readonly kind: 'words'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'json'; readonly value: JsonValue }
  | { readonly kind: 'instant'; readonly at: number }
  | { readonly kind: 'duration'; readonly ms: number }
  | { readonly kind: 'via'; readonly via: StopVia }
  | { readonly kind: 'event'; readonly seq: number }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | { readonly kind: 'fields'; readonly fields: JsonObject }
  | { readonly kind: 'rules'; readonly rules: readonly RuleResult[] }
  | { readonly kind: 'checks'; readonly root: CheckNode }
  | { readonly kind: 'plan'; readonly steps: readonly PlanStep[] }

export interface EventFact {
  readonly name: string
  readonly value: FactValue
}

/** Builds a fact from an optional part; null: the part is missing. */
export function when<Part>(
  name: string,
  part: Part | null | undefined,
  toValue: (part: Part) => FactValue,
): EventFact | null {
  return part === null || part === undefined ? null : { name, value: toValue(part) }
}

export const words = (name: string, text: string | null | undefined) =>
  when(name, text, (said) => ({ kind: 'words', text: said }))
export const code = (name: string, text: string | null | undefined) =>
  when(name, text, (said) => ({ kind: 'code', text: said }))
export const text = (name: string, said: string | null | undefined) =>
  when(name, said, (whole) => ({ kind: 'text', text: whole }))
export const instant = (name: string, at: number | undefined) =>
  when(name, at, (epoch) => ({ kind: 'instant', at: epoch }))
export const json = (name: string, value: JsonValue | undefined) =>
  value === undefined
    ? null
    : typeof value === 'string'
      ? text(name, value)
      : { name, value: { kind: 'json', value } as const }
export const list = (name: string, items: readonly string[]) =>
  items.length === 0 ? null : { name, value: { kind: 'list', items } as const }
export const fields = (name: string, values: JsonObject | undefined) =>
  when(name, values, (given) => ({ kind: 'fields', fields: given }))
export const tokens = (name: string, count: number | undefined) =>
  when(name, count, (many) => ({ kind: 'words', text: plural(many, 'token') }))

const EXISTS = { true: 'existed', false: 'did not exist', unknown: 'unknown' } as const

function fileLine([path, { exists, kind, fingerprint }]: readonly [
  string,
  NonNullable<Facts['files']>[string],
]): string {
  const content = fingerprint?.replace(/^sha256:/, '').slice(0, 8)
  return [
    `\`${path}\` ${EXISTS[`${exists}`]}`,
    kind === 'directory' ? 'a directory' : '',
    content === undefined ? '' : `content \`${content}…\``,
  ]
    .filter(Boolean)
    .join(', ')
}

type Answer = NonNullable<Facts['answers']>[string]

function answerWords(answer: Answer): string {
  switch (answer.kind) {
    case 'policy':
      return [answer.allow ? 'allowed' : 'denied', answer.reason].filter(Boolean).join(': ')
    case 'feedback':
      return answer.advice === null ? 'no advice' : `advice: ${answer.advice.summary}`
    case 'check': {
      const by = answer.by === undefined ? '' : ` (${answer.by})`
      const said = answer.complete ? 'complete' : 'not complete'
      return [`${said}${by}`, answer.feedback].filter(Boolean).join(': ')
    }
    case 'error':
      return `failed: ${answer.error}`
    case 'unavailable':
      return 'no one to ask'
    default:
      return answer satisfies never
  }
}

export function listLookUpFacts(facts: Facts | undefined): readonly (EventFact | null)[] {
  const answers = Object.entries(facts?.answers ?? {})
  return [
    list('Files', Object.entries(facts?.files ?? {}).map(fileLine)),
    list('Found', (facts?.content?.found ?? []).map(contentLine)),
    list(
      'Detectors',
      (facts?.content?.detectors ?? []).map(({ name, version }) => `${name} ${version}`),
    ),
    list(
      'Answers',
      answers.map(([rule, answer]) => `\`${rule}\` ${answerWords(answer)}`),
    ),
  ]
}

/** Places with equal tags have the same text; a tag alone identifies nothing. */
function contentLine({ rule, kind, pointer, property, ...place }: ContentFinding): string {
  const { offset, length, tag } = place
  const name = property === undefined ? '' : `the name of property ${property + 1} of `
  const value = pointer === '' ? 'the value' : coded(pointer)
  return `${coded(rule)} ${kind} in ${name}${value}: ${plural(length, 'character')} from ${offset + 1}, tag ${coded(tag)}`
}

export function coded(name: string): string {
  return `\`${name}\``
}
