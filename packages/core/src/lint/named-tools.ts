import { type Placed, place, warning } from '../kinds/base/place.ts'
import { checkerRule } from '../kinds/checkers.ts'
import type { ConfigDocument } from '../kinds/config.ts'
import { contentTools } from '../kinds/content.ts'
import { providerForm } from '../kinds/forms/feedback.ts'
import { type PlacedDocument, type PlacedPolicy, placeDocument } from '../kinds/placed.ts'
import { type PolicyDocument, policyRule } from '../kinds/policies.ts'
import { pointerTo } from '../model/json.ts'
import type { Problem } from '../model/problem.ts'

export function toolAdvice(placed: PlacedDocument): readonly Problem[] {
  return [
    ...placed.policies.flatMap(withoutEffect),
    ...(placed.declaredTools.size === 0 ? [] : undeclared(placed)),
  ]
}

function isOff({ item }: Placed<PolicyDocument>): boolean {
  return item.mode === 'off'
}

function withoutEffect({ item, pointer }: PlacedPolicy): readonly Problem[] {
  const rule = policyRule(item)
  const [denied, governed] = [rule.denies(item), rule.governs(item)]
  if (denied === 'every' || governed === 'every' || denied.length > 0) return []
  const message =
    governed.length === 0
      ? 'This rule names no tool, so it never denies anything. Name one or remove the rule.'
      : `No tool is required before ${governed.join(', ')}, so this rule never denies anything. Name the tools that must succeed first, or remove the rule.`
  return [warning(pointer, 'rule_without_effect', message)]
}

/** Leaves out rules of a section, which already report tools outside the section, and prerequisites, which are errors. */
function undeclared({
  policies,
  content,
  providers,
  checkers,
  declaredTools,
}: PlacedDocument): readonly Problem[] {
  const named = [
    ...policies
      .filter((policy) => policy.section === null && !isOff(policy))
      .flatMap(({ item, pointer }) => policyRule(item).toolsNamed(item, pointer)),
    ...policies
      .filter((policy) => !isOff(policy))
      .flatMap(({ item, pointer }) => policyRule(item).toolsWatched(item, pointer)),
    ...content.filter(({ item }) => item.mode !== 'off').flatMap(contentTools),
    ...providers.flatMap(
      ({ item, pointer }) => providerForm(item)?.toolsNamed(item, pointer) ?? [],
    ),
    // The checker's own tool is left out: the check that cannot pass reports it.
    ...checkers.flatMap(
      ({ item, pointer }) => checkerRule(item)?.toolsWatched(item, pointer) ?? [],
    ),
  ]
  return named.flatMap(({ item: tool, pointer }) => {
    if (declaredTools.has(tool)) return []
    const message = `No section declares the tool "${tool}", so this has no effect. Declare it or correct its name.`
    return [warning(pointer, 'undeclared_tool', message)]
  })
}

export function listToolPlaces(document: ConfigDocument): readonly Placed<string>[] {
  const { sections, policies, content, providers, checkers } = placeDocument(document)
  return [
    ...sections.flatMap(({ item, pointer }) =>
      place(item.tools ?? [], pointerTo(pointer, 'tools')),
    ),
    ...policies.flatMap(({ item, pointer }) => [
      ...policyRule(item).toolsNamed(item, pointer),
      ...policyRule(item).toolsWatched(item, pointer),
      ...policyRule(item)
        .prerequisites(item, pointer)
        .flatMap((one) => place(one.needed, one.pointer)),
    ]),
    ...content.flatMap(contentTools),
    ...providers.flatMap(
      ({ item, pointer }) => providerForm(item)?.toolsNamed(item, pointer) ?? [],
    ),
    ...checkers.flatMap(({ item, pointer }) => {
      const rule = checkerRule(item)
      if (rule === null) return []
      return [...rule.toolsRequired(item, pointer), ...rule.toolsWatched(item, pointer)]
    }),
  ]
}
