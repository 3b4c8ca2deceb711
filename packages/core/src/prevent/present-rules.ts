// Changes of rules that the document has: a rule that only watches is enforced, or a rule covers one more tool. The engine finds them.
import { compileConfig } from '../engine/compile.ts'
import type { ConfigDocument } from '../kinds/config.ts'
import { type PlacedPolicy, placeDocument } from '../kinds/placed.ts'
import type { RateLimitDocument } from '../kinds/policies/rate-limit.ts'
import {
  isKnownPolicy,
  type PolicyDocument,
  type PolicyDocumentOf,
  type PolicyType,
  policyRule,
} from '../kinds/policies.ts'
import type { Draft } from './draft.ts'
import { applyEdit, type Edit } from './edit.ts'
import { type Incident, replayIncident } from './incident.ts'

const ENFORCE_COST = 0
export const WIDEN_COST = 1

export interface PresentRule {
  readonly draft: Draft
  /** Tools of which the change may refuse calls. */
  readonly governs: readonly string[] | 'every'
}

const BARE = { test: null, atoms: [], order: null } as const

/** Those that refuse the incident, or let it wait. */
export function listPresentRules(incident: Incident): readonly PresentRule[] {
  return [...listWatching(incident), ...listWidened(incident)].filter(({ draft: { edit } }) => {
    const { document, options } = incident.config
    const changed = compileConfig(applyEdit(document, edit), options)
    return changed.ok && replayIncident(changed.config, incident) !== null
  })
}

function listWatching(incident: Incident): readonly PresentRule[] {
  const { policies, content } = placeDocument(incident.config.document)
  const watching = [
    ...policies.map(({ item }) => ({ item, governs: policyRule(item).denies(item) })),
    ...content.map(({ item }) => ({ item, governs: item.tools ?? ('every' as const) })),
  ]
  return watching.flatMap(({ item, governs }) => {
    if ((item.mode ?? 'enforce') === 'enforce') return []
    const edit: Edit = { kind: 'enforce', rule: item.id }
    const draft = { ...BARE, kind: 'enforce' as const, cost: ENFORCE_COST, edit }
    return [{ draft, governs }]
  })
}

function listWidened(incident: Incident): readonly PresentRule[] {
  const { tool } = incident
  if (tool === null) return []
  return placeDocument(incident.config.document).policies.flatMap((placed) => {
    const policy = isPlacedFor(placed, tool) ? widen(placed.item, tool) : null
    if (policy === null) return []
    const edit: Edit = { kind: 'change_policy', policy }
    const draft = { ...BARE, kind: 'widen' as const, cost: WIDEN_COST, edit }
    return [{ draft, governs: policyRule(policy).denies(policy) }]
  })
}

/** Enforced policies of this type that can govern the tool where they stand. */
export function listPlacedFor<Type extends PolicyType>(
  document: ConfigDocument,
  tool: string,
  type: Type,
): readonly PolicyDocumentOf<Type>[] {
  // A policy of a known type has the fields of this type.
  return placeDocument(document).policies.flatMap((placed) =>
    placed.item.type === type && isPlacedFor(placed, tool)
      ? [placed.item as PolicyDocumentOf<Type>]
      : [],
  )
}

/** Enforced limits of the tool alone. */
export function listOwnLimits(
  document: ConfigDocument,
  tool: string,
): readonly RateLimitDocument[] {
  return listPlacedFor(document, tool, 'rate_limit').filter(({ tools }) => tools.join() === tool)
}

/** True: the rule is enforced, and can govern the tool where it stands. */
function isPlacedFor({ item, section }: PlacedPolicy, tool: string): boolean {
  const isEnforced = (item.mode ?? 'enforce') === 'enforce'
  return isEnforced && (section === null || (section.tools ?? []).includes(tool))
}

/** null: the rule covers the tool already, or has no list of tools. */
function widen(policy: PolicyDocument, tool: string): PolicyDocument | null {
  if (!isKnownPolicy(policy)) return null
  switch (policy.type) {
    case 'expression':
    case 'rate_limit':
    case 'approval': {
      const { tools = [tool] } = policy
      return tools.includes(tool) ? null : { ...policy, tools: [...tools, tool] }
    }
    case 'read_before_write':
      return policy.write_tools.includes(tool)
        ? null
        : { ...policy, write_tools: [...policy.write_tools, tool] }
    case 'sequential_dependency':
      return null
    default:
      return policy satisfies never
  }
}
