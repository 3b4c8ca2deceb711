import type { ConfigDocument } from '../kinds/config.ts'
import type { PlacedDocument, PlacedPolicy } from '../kinds/placed.ts'
import { policyRule } from '../kinds/policies.ts'
import type { Problem } from '../model/problem.ts'
import { policyAdvice } from './policy-advice.ts'

export function unseenAdvice(document: ConfigDocument, placed: PlacedDocument): readonly Problem[] {
  const { policies } = placed
  const surroundings = {
    tools: namedTools(document, placed),
    isHeld: (tool: string) => policies.some((policy) => holds(policy, tool)),
  }
  return policies.flatMap(
    (policy) => policyAdvice(policy.item)?.blindSpots(policy, surroundings) ?? [],
  )
}

function namedTools(
  { aliases = {} }: ConfigDocument,
  { sections, policies }: PlacedDocument,
): readonly string[] {
  const named = [
    ...sections.flatMap(({ item }) => item.tools ?? []),
    ...policies.flatMap(({ item, pointer }) =>
      policyRule(item)
        .toolsNamed(item, pointer)
        .map((tool) => tool.item),
    ),
  ].map((tool) => aliases[tool] ?? tool)
  return [...new Set([...named, ...Object.values(aliases)])]
}

function holds({ item }: PlacedPolicy, tool: string): boolean {
  const rule = policyRule(item)
  if (item.mode === 'off' || !rule.seesCommands) return false
  const tools = rule.denies(item)
  return tools === 'every' || tools.includes(tool)
}
