// A new mask on arguments may hide from a rule what it would have denied, so it is not proven.
import { compareNames, type Judgment, looser, stricter, unproven } from '../kinds/base/judgment.ts'
import type { SectionDocument } from '../kinds/config.ts'
import { compareContent } from '../kinds/content.ts'
import type { PlacedContent, PlacedDocument } from '../kinds/placed.ts'
import { pointerTo } from '../model/json.ts'

/** `from` and `to` must be documents that compile. */
export function compareContents(from: PlacedDocument, to: PlacedDocument): readonly Judgment[] {
  const before = new Map(from.content.map((rule) => [rule.item.id, rule]))
  const after = new Map(to.content.map((rule) => [rule.item.id, rule]))
  const kept = from.content.flatMap((rule) =>
    acts(rule) ? compareOne(rule, after.get(rule.item.id)) : [],
  )
  const begun = to.content.flatMap((rule) => {
    const old = before.get(rule.item.id)
    if (!acts(rule) || (old !== undefined && acts(old))) return []
    return [judgeBegun(rule)]
  })
  return [...kept, ...begun]
}

function acts({ item }: PlacedContent): boolean {
  return (item.mode ?? 'enforce') === 'enforce'
}

function hides({ item }: PlacedContent): boolean {
  return item.on === 'arguments' && item.action === 'mask'
}

function judgeBegun(rule: PlacedContent): Judgment {
  const name = `Content rule \`${rule.item.id}\``
  return hides(rule)
    ? unproven(rule.pointer, `${name} acts now and may hide arguments from other rules`)
    : stricter(rule.pointer, `${name} acts now`)
}

function compareOne(from: PlacedContent, to: PlacedContent | undefined): readonly Judgment[] {
  const name = `Content rule \`${from.item.id}\``
  if (to === undefined) return [looser(from.pointer, `${name} is gone`)]
  const { item, pointer } = to
  if (!acts(to)) return [looser(pointerTo(pointer, 'mode'), `${name} is ${item.mode}`)]
  const changes = [
    ...compareNames([governed(from.section), governed(to.section)], {
      pointer,
      says: [`${name} governs`, `${name} no longer governs`],
    }),
    ...compareContent(from.item, to),
  ]
  if (changes.length === 0 || !(hides(from) || hides(to))) return changes
  if (item.action === 'deny' && item.on === 'arguments') return changes
  return [...changes, unproven(pointer, `${name} may hide other arguments from other rules`)]
}

function governed(section: SectionDocument | null): readonly string[] | 'every' {
  return section === null ? 'every' : (section.tools ?? [])
}
