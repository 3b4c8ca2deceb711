import type { ConfigDocument } from '../kinds/config.ts'
import { placeDocument } from '../kinds/placed.ts'
import { policyRule } from '../kinds/policies.ts'

export interface RulePlace {
  readonly id: string
  readonly pointer: string
}

/** In document order, including composites. Rules that are off are left out. */
export function listRulePlaces(document: ConfigDocument): readonly RulePlace[] {
  const { policies, content, providers, checkers } = placeDocument(document)
  const modal = [...policies, ...content, ...providers].filter(({ item }) => item.mode !== 'off')
  return [...modal, ...checkers].map(({ item: { id }, pointer }) => ({ id, pointer }))
}

export function listCheckerPlaces(document: ConfigDocument, type: string): readonly RulePlace[] {
  return placeDocument(document).checkers.flatMap(({ item, pointer }) =>
    item.type === type ? [{ id: item.id, pointer }] : [],
  )
}

/** Longest wait for an approval under any rule of the document, in seconds; 0: no rule asks for one. */
export function longestApprovalSeconds(document: ConfigDocument): number {
  const { policies } = placeDocument(document)
  return Math.max(0, ...policies.map(({ item }) => policyRule(item).approvalSeconds(item)))
}
