// A kind is its document and its lines here; a missing part does not compile.
import { getOwn, type JsonObject, type JsonValue, pointerTo } from '../model/json.ts'
import { differingFields } from '../model/same-fields.ts'
import { compareNames, type Judgment, looser, stricter, unproven } from './base/judgment.ts'
import { error, type Placed, place } from './base/place.ts'
import { type PolicyReason, step } from './base/policy-reason.ts'
import { counted, describeCalls, type FormField, type RuleForm, text } from './base/rule-words.ts'
import type { ContentDocumentOf, ContentKind, ContentRuleDocument } from './content/content-rule.ts'
import type { PolicyWords } from './policies/policy-rule.ts'

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

export function contentErrors({ item, pointer }: Placed<ContentRuleDocument>) {
  const at = pointerTo(pointer, 'action')
  if (item.on === 'arguments' && item.action === 'withhold')
    return [
      error(at, 'content_action', 'Arguments cannot be withheld. Use "deny", or "mask" or "warn".'),
    ]
  if (item.on === 'arguments' && item.kind === 'size' && item.action === 'mask')
    return [
      error(
        at,
        'content_action',
        'Arguments cannot be cut: a tool would act on a part. Use "deny".',
      ),
    ]
  return []
}

export function contentTools({
  item,
  pointer,
}: Placed<ContentRuleDocument>): readonly Placed<string>[] {
  return place(item.tools ?? [], pointerTo(pointer, 'tools'))
}

/** From the loosest. `withhold` and `deny` of a result are the same. */
const RANKS = { warn: 0, mask: 1, withhold: 2, deny: 2 } as const

export function compareContent(
  before: ContentRuleDocument,
  { item: after, pointer }: Placed<ContentRuleDocument>,
): readonly Judgment[] {
  const name = `Content rule \`${after.id}\``
  const at = (field: string) => pointerTo(pointer, field)
  const isOther =
    before.kind !== after.kind ||
    before.on !== after.on ||
    ('matches' in before && 'matches' in after && before.matches !== after.matches)
  if (isOther) return [unproven(pointer, `${name} looks for something else`)]
  const rank = RANKS[after.action] - RANKS[before.action]
  const chars =
    'max_chars' in before && 'max_chars' in after ? before.max_chars - after.max_chars : 0
  const [was, is] = [before, after].map((rule) => rule.on_unsupported ?? 'refuse')
  const judge = (side: number) => (side > 0 ? stricter : looser)
  return [
    ...compareNames([before.tools ?? 'every', after.tools ?? 'every'], {
      pointer: at('tools'),
      says: [`${name} inspects`, `${name} no longer inspects`],
    }),
    ...(rank === 0 ? [] : [judge(rank)(at('action'), `${name} has the action ${after.action}`)]),
    ...(chars === 0 ? [] : [judge(chars)(at('max_chars'), `${name} has another limit`)]),
    ...(was === is
      ? []
      : [
          judge(is === 'refuse' ? 1 : -1)(
            at('on_unsupported'),
            `${name}: \`on_unsupported\` is ${is}`,
          ),
        ]),
    ...differingFields(before, after, COMPARED).map((field) =>
      unproven(at(field), `${name} has a different \`${field}\``),
    ),
  ]
}

const COMPARED = [
  ...(['id', 'mode', 'kind', 'on', 'tools', 'action', 'on_unsupported'] as const),
  ...['matches', 'max_chars'],
]

const COMMON: readonly FormField<keyof ContentRuleDocument & string>[] = [
  {
    control: 'choice',
    field: 'on',
    label: 'Inspect',
    options: [
      ['arguments', 'Arguments, before the call'],
      ['result', 'Result, before the model reads it'],
    ],
  },
  {
    control: 'choice',
    field: 'action',
    label: 'When found',
    options: [
      ['deny', 'Deny the call, or withhold the result'],
      ['withhold', 'Withhold the result'],
      ['mask', 'Mask it'],
      ['warn', 'Warn the agent'],
    ],
  },
  { control: 'names', field: 'tools', label: 'Tools', hint: 'Leave empty for all tools' },
  {
    control: 'details',
    label: 'Harnesses that cannot replace values',
    fields: [
      {
        control: 'choice',
        field: 'on_unsupported',
        label: 'There',
        absent: 'refuse',
        options: [
          ['refuse', 'Refuse the config'],
          ['warn', 'Warn the agent; the session shows a gap'],
        ],
      },
    ],
  },
]

export const CONTENT_FORMS = {
  secrets: {
    label: KINDS.secrets.label,
    about: 'Masks or denies keys, tokens and passwords in arguments or results.',
    sample: { id: 'no-secrets', kind: 'secrets', on: 'result', action: 'mask' },
    fields: COMMON,
  },
  pii: {
    label: KINDS.pii.label,
    about: 'Masks or denies personal data, such as email addresses, in arguments or results.',
    sample: { id: 'no-personal-data', kind: 'pii', on: 'result', action: 'mask' },
    fields: COMMON,
  },
  pattern: {
    label: KINDS.pattern.label,
    about: 'Masks or denies text that matches your pattern.',
    // The empty pattern cannot be published.
    sample: { id: 'pattern', kind: 'pattern', on: 'result', action: 'mask', matches: '' },
    fields: [
      {
        control: 'text',
        field: 'matches',
        label: 'Text that matches',
        isRequired: true,
        placeholder: 'PROJ-[0-9]{4}',
        hint: 'RE2 syntax',
      },
      ...COMMON,
    ],
  },
  size: {
    label: KINDS.size.label,
    about: 'Cuts or denies what has too many characters.',
    sample: { id: 'size', kind: 'size', on: 'result', action: 'mask', max_chars: 50_000 },
    fields: [{ control: 'number', field: 'max_chars', label: 'Most characters' }, ...COMMON],
  },
} as const satisfies { readonly [Kind in ContentKind]: RuleForm<ContentDocumentOf<Kind>> }
