// Results are cached, so that the cost of a decision does not depend on the document's size.
import type { SectionDocument } from '../kinds/config.ts'
import type { CompiledContentRule } from '../kinds/content/content-rule.ts'
import type { PathForm } from '../kinds/policies/path-argument.ts'
import type { CompiledPolicy, RateMemory, ReadMemory } from '../kinds/policies/policy.ts'

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
  const places = [...sections, prompt]
  const all = places.flatMap(({ policies }) => policies)
  const owning = byTool(sections, ({ section }) => section.tools)
  const denying = byTool(all, ({ policy: { denies } }) => (denies === 'every' ? [] : denies))
  const reading = byTool(all, ({ policy }) => policy.reads?.tools)
  const counting = byTool(all, ({ policy }) => policy.rate?.tools)
  const inspecting = byTool(
    places.flatMap(({ content }) => content),
    ({ document }) => document.tools,
  )
  const find = (tool: string): ToolRules => {
    const governing = [...(owning.get(tool) ?? []), prompt]
    const policies = governing
      .flatMap((one) => one.policies)
      .filter((one) => one.policy.denies === 'every' || denying.get(tool)?.has(one) === true)
    const content = governing
      .flatMap((one) => one.content)
      .filter((one) => one.document.tools === undefined || inspecting.get(tool)?.has(one) === true)
    const reads = [...(reading.get(tool) ?? [])].flatMap(({ policy }) => policy.reads ?? [])
    // Rules that govern the tool and rules that only remember its reads both need the paths of its calls.
    const looking = [...policies.flatMap(({ policy }) => policy.reads ?? []), ...reads]
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
    if (![owning, denying, reading, counting, inspecting].some((index) => index.has(tool))) {
      otherRules ??= find(tool)
      return otherRules
    }
    const found = find(tool)
    known.set(tool, found)
    return found
  }
}

function byTool<Rule>(
  rules: readonly Rule[],
  listTools: (rule: Rule) => readonly string[] | undefined,
): ReadonlyMap<string, ReadonlySet<Rule>> {
  const index = new Map<string, Set<Rule>>()
  for (const rule of rules) {
    for (const tool of listTools(rule) ?? []) {
      index.set(tool, (index.get(tool) ?? new Set()).add(rule))
    }
  }
  return index
}
