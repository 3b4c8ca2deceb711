// Errors and comparison of content rules; `content/content-words.ts` has their sentences, which pages that explain an event load, too.
import { pointerTo } from '../model/json.ts'
import { differingFields } from '../model/same-fields.ts'
import { compareNames, type Judgment, looser, stricter, unproven } from './base/judgment.ts'
import { error, type Placed, place } from './base/place.ts'
import type { ContentRuleDocument } from './content/content-rule.ts'

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
