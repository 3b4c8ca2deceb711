// Sentences on content rules. A kind is its document, its lines here and its form in `../content.ts`; a missing part does not compile.
import { getOwn, type JsonObject, type JsonValue } from '../../model/json.ts'
import { type PolicyReason, step } from '../base/policy-reason.ts'
import { counted, describeCalls, text } from '../base/rule-words.ts'
import type { PolicyWords } from '../policies/policy-rule.ts'
import type { ContentDocumentOf, ContentKind, ContentRuleDocument } from './content-rule.ts'

interface KindWords<Document> {
  readonly label: string
  describe(document: Document): string
  readonly none: string
  /** `count`: number of places. */
  found(count: JsonValue | undefined): string
  readonly masked?: string
  readonly remedy: string
}

const KINDS = {
  secrets: {
    label: 'Secrets',
    describe: () => 'secrets',
    none: 'No secrets found',
    found: (count) => counted(count, 'secret'),
    remedy: 'Make the call without the secrets',
  },
  pii: {
    label: 'Personal data',
    describe: () => 'personal data',
    none: 'No personal data found',
    found: (count) => `personal data in ${counted(count, 'place')}`,
    remedy: 'Make the call without the personal data',
  },
  pattern: {
    label: 'Pattern',
    describe: ({ matches }) => `text that matches \`${matches}\``,
    none: 'The pattern does not match',
    found: (count) => `text that matches the pattern in ${counted(count, 'place')}`,
    remedy: 'Make the call without the text that matches',
  },
  size: {
    label: 'Size',
    describe: ({ max_chars }) => `more than ${text(max_chars)} characters`,
    none: 'Not too long',
    found: () => 'more characters than allowed',
    masked: 'Cut the result to the allowed length',
    remedy: 'Make the call with fewer characters',
  },
} as const satisfies { readonly [Kind in ContentKind]: KindWords<ContentDocumentOf<Kind>> }

const ACTIONS = {
  deny: ['Denies', 'Withholds'],
  withhold: ['Withholds', 'Withholds'],
  mask: ['Masks', 'Masks'],
  warn: ['Warns of', 'Warns of'],
} as const satisfies { readonly [Action in ContentRuleDocument['action']]: readonly string[] }

export function describeContent(document: ContentRuleDocument): string {
  const words: KindWords<ContentRuleDocument> = KINDS[document.kind]
  const { on, action, kind, tools } = document
  const verb = ACTIONS[action][on === 'arguments' ? 0 : 1]
  const where = `${on === 'arguments' ? 'arguments' : 'results'} of ${describeCalls(tools)}`
  if (kind === 'size' && action === 'mask')
    return `Cuts ${where} to ${text(document.max_chars)} characters`
  return action === 'mask' || action === 'warn'
    ? `${verb} ${words.describe(document)} in ${where}`
    : `${verb} ${where} with ${words.describe(document)}`
}

/** Absent: a kind that this build does not know. */
function findWords({ kind }: JsonObject): KindWords<never> | undefined {
  const words: { readonly [kind: string]: KindWords<never> } = KINDS
  return typeof kind === 'string' ? getOwn(words, kind) : undefined
}

export function contentKindLabel(kind: string): string {
  return findWords({ kind })?.label ?? kind
}

export function describeFound(params: JsonObject): string {
  const count = params['count']
  return (
    findWords(params)?.found(count) ?? `${counted(count, 'place')} with ${text(params['kind'])}`
  )
}

export const contentWords: Pick<PolicyWords<ContentRuleDocument>, 'sentences' | 'reasons'> = {
  sentences: {
    'content.clean': (p) => findWords(p)?.none ?? `No ${text(p['kind'])} found`,
    'content.denied': (p) => `The arguments contain ${describeFound(p)}`,
    'content.withheld': (p) => `Withheld the result, which contains ${describeFound(p)}`,
    'content.masked': (p) => findWords(p)?.masked ?? `Masked ${describeFound(p)}`,
    'content.warned': (p) => `Warned the agent of ${describeFound(p)}`,
    'content.not_checked': () => 'The content could not be checked',
  },
  reasons: {
    'content.clean': { basis: 'input' },
    'content.denied': {
      basis: 'input',
      steps: ({ params }) => [
        step('agent', findWords(params)?.remedy ?? `Make the call without ${text(params['kind'])}`),
      ],
    },
    'content.withheld': { basis: 'input' },
    'content.masked': { basis: 'input' },
    'content.warned': { basis: 'input' },
    'content.not_checked': { basis: 'input' },
  } satisfies { readonly [code: string]: PolicyReason<Partial<ContentRuleDocument>> },
}
