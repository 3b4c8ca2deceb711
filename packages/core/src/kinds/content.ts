// Errors, comparison and forms of content rules; `content/content-words.ts` has their sentences, which pages that explain an event load, too.
import { pointerTo } from '../model/json.ts'
import { differingFields } from '../model/same-fields.ts'
import { compareNames, type Judgment, looser, stricter, unproven } from './base/judgment.ts'
import { error, type Placed, place } from './base/place.ts'
import type { FormField, RuleForm } from './base/rule-words.ts'
import type { ContentDocumentOf, ContentKind, ContentRuleDocument } from './content/content-rule.ts'
import { contentKindLabel } from './content/content-words.ts'

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
    label: contentKindLabel('secrets'),
    about: 'Masks or denies keys, tokens and passwords in arguments or results.',
    sample: { id: 'no-secrets', kind: 'secrets', on: 'result', action: 'mask' },
    fields: COMMON,
  },
  pii: {
    label: contentKindLabel('pii'),
    about: 'Masks or denies personal data, such as email addresses, in arguments or results.',
    sample: { id: 'no-personal-data', kind: 'pii', on: 'result', action: 'mask' },
    fields: COMMON,
  },
  pattern: {
    label: contentKindLabel('pattern'),
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
    label: contentKindLabel('size'),
    about: 'Cuts or denies what has too many characters.',
    sample: { id: 'size', kind: 'size', on: 'result', action: 'mask', max_chars: 50_000 },
    fields: [{ control: 'number', field: 'max_chars', label: 'Most characters' }, ...COMMON],
  },
} as const satisfies { readonly [Kind in ContentKind]: RuleForm<ContentDocumentOf<Kind>> }
