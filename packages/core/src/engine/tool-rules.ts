// Results are cached, so that the cost of a decision does not depend on the document's size.
import type { SectionDocument } from '../kinds/config.ts'
import type { CompiledContentRule } from '../kinds/content/content-rule.ts'

import type { PathForm } from '../kinds/policies/path-argument.ts'
import type { CompiledPolicy, Policy, RateMemory, ReadMemory } from '../kinds/policies/policy.ts'

export interface ToolRules {
  readonly content: ContentRules

  readonly policies: readonly CompiledPolicy[]
  readonly approvals: readonly CompiledPolicy[]
  readonly forms: readonly PathForm[]
  readonly reads: readonly ReadMemory[]
  readonly rates: readonly RateMemory[]
}

/** In the order of their sections, then of the prompt. */
export interface ContentRules {
  readonly arguments: readonly CompiledContentRule[]
  readonly result: readonly CompiledContentRule[]
}

export interface SectionRules {
  readonly section: SectionDocument
  readonly policies: readonly CompiledPolicy[]
  readonly content: readonly CompiledContentRule[]
}

/** Tools that the document does not name share one result: the prompt's rules for every tool. */
export function toolRules(
  sections: readonly SectionRules[],
  prompt: Omit<SectionRules, 'section'>,
): (tool: string) => ToolRules {
  const promptPolicies = prompt.policies
  const sectionContent = new Map(
    sections.flatMap(({ section: { tools = [] }, content }) =>
      tools.map((tool) => [tool, content] as const),
    ),
  )
  const inspected = new Set(
    [...prompt.content, ...sections.flatMap(({ content }) => content)].flatMap(
      ({ document }) => document.tools ?? [],
    ),
  )
  const all = [...sections.flatMap(({ policies }) => policies), ...promptPolicies]
  const sectionPolicies = new Map(
    sections.flatMap(({ section: { tools = [] }, policies }) =>
      tools.map((tool) => [tool, policies] as const),
    ),
  )
  const denying = byTool(all, ({ denies }) => (denies === 'every' ? [] : denies))
  const reading = byTool(all, ({ reads }) => reads?.tools ?? [])
  const counting = byTool(all, ({ rate }) => rate?.tools ?? [])
  const find = (tool: string): ToolRules => {
    const naming = denying.get(tool)
    const policies = [...(sectionPolicies.get(tool) ?? []), ...promptPolicies].filter(
      (one) => one.policy.denies === 'every' || naming?.has(one) === true,
    )
    const reads = [...(reading.get(tool) ?? [])].flatMap(({ policy }) => policy.reads ?? [])
    // Rules that govern the tool and rules that only remember its reads both need the paths of its calls.
    const looking = [...policies.flatMap(({ policy }) => policy.reads ?? []), ...reads]
    const content = [...(sectionContent.get(tool) ?? []), ...prompt.content].filter(
      ({ document: { tools } }) => tools === undefined || tools.includes(tool),
    )
    return {
      content: {
        arguments: content.filter(({ document }) => document.on === 'arguments'),
        result: content.filter(({ document }) => document.on === 'result'),
      },
      policies,
      approvals: policies.filter(({ policy }) => policy.approvalSeconds !== null),
      forms: [...new Map(looking.map(({ form }) => [form.key, form])).values()],
      reads,
      rates: [...(counting.get(tool) ?? [])].flatMap(({ policy }) => policy.rate ?? []),
    }
  }
  const known = new Map<string, ToolRules>()
  let otherRules: ToolRules | undefined
  return (tool) => {
    const before = known.get(tool)
    if (before !== undefined) return before
    if (
      ![sectionPolicies, denying, reading, counting, inspected].some((index) => index.has(tool))
    ) {
      otherRules ??= find(tool)
      return otherRules
    }
    const found = find(tool)
    known.set(tool, found)
    return found
  }
}

function byTool(
  policies: readonly CompiledPolicy[],
  selectTools: (policy: Policy) => readonly string[],
): ReadonlyMap<string, ReadonlySet<CompiledPolicy>> {
  const index = new Map<string, Set<CompiledPolicy>>()
  for (const one of policies) {
    for (const tool of selectTools(one.policy)) {
      index.set(tool, (index.get(tool) ?? new Set()).add(one))
    }
  }
  return index
}
