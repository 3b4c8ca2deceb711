// Works from the documents alone: a rule must keep its place and id and be at least as strict for its type. Anything unproven counts as
// looser.

import { compareNames, type Judgment, looser, stricter, unproven } from '../kinds/base/judgment.ts'
import type { SectionDocument } from '../kinds/config.ts'
import type { PlacedDocument, PlacedPolicy } from '../kinds/placed.ts'
import { type PolicyDocument, policyRule } from '../kinds/policies.ts'
import { pointerTo } from '../model/json.ts'

/** `from` and `to` must be documents that compile. */
export function comparePolicies(from: PlacedDocument, to: PlacedDocument): readonly Judgment[] {
  const before = new Map(from.policies.map((policy) => [policy.item.id, policy]))
  const after = new Map(to.policies.map((policy) => [policy.item.id, policy]))
  const kept = from.policies.flatMap((policy) =>
    acts(policy.item) ? compareOne(policy, after.get(policy.item.id)) : [],
  )
  const begun = to.policies.flatMap((policy) => {
    const old = before.get(policy.item.id)
    if (!acts(policy.item) || (old !== undefined && acts(old.item))) return []
    const did = old === undefined ? 'is new' : `acts now (it was ${old.item.mode})`
    return [stricter(policy.pointer, `${formatPolicyName(policy.item)} ${did}`)]
  })
  return [...kept, ...begun]
}

function acts({ mode = 'enforce' }: PolicyDocument): boolean {
  return mode === 'enforce'
}

function formatPolicyName({ id }: PolicyDocument): string {
  return `Policy \`${id}\``
}

function compareOne(from: PlacedPolicy, to: PlacedPolicy | undefined): readonly Judgment[] {
  const name = formatPolicyName(from.item)
  if (to === undefined) return [looser(from.pointer, `${name} is gone`)]
  const { pointer, item } = to
  if (!acts(item)) return [looser(pointerTo(pointer, 'mode'), `${name} is ${item.mode}`)]
  if (item.type !== from.item.type) {
    return [unproven(pointerTo(pointer, 'type'), `${name} has a different type: ${item.type}`)]
  }
  const pair = { before: from.item, after: item, pointer, name }
  return [...compareScope(from, to), ...policyRule(item).compare(pair)]
}

/** A rule of a section governs only the tools that the section declares. */
function compareScope(from: PlacedPolicy, to: PlacedPolicy): readonly Judgment[] {
  const name = formatPolicyName(from.item)
  return compareNames([governed(from.section), governed(to.section)], {
    pointer: to.pointer,
    says: [`${name} governs`, `${name} no longer governs`],
  })
}

function governed(section: SectionDocument | null): readonly string[] | 'every' {
  return section === null ? 'every' : (section.tools ?? [])
}
