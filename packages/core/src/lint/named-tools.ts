// Tools that rules name: those that no section declares, and rules that name none at all.

import { isKnownChecker } from '../kinds/checkers.ts'
import type { ConfigDocument } from '../kinds/config.ts'
import type { FeedbackProviderDocument } from '../kinds/feedback.ts'
import { isKnownProvider } from '../kinds/feedback.ts'
import {
  type Placed,
  type PlacedChecker,
  type PlacedDocument,
  type PlacedPolicy,
  place,
  placeDocument,
  warning,
} from '../kinds/placed.ts'
import type { PolicyDocument } from '../kinds/policies.ts'
import { isKnownPolicy } from '../kinds/policies.ts'
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
  if (deniableTools(item).length > 0) return []
  const waiting = dependentTools(item)
  const message =
    waiting.length === 0
      ? 'This rule names no tool, so it never denies anything. Name one or remove the rule.'
      : `No tool is required before ${waiting.join(', ')}, so this rule never denies anything. Name the tools that must succeed first, or remove the rule.`
  return [warning(pointer, 'rule_without_effect', message)]
}

/** The tools that a sequential dependency names, also those without a prerequisite. */
function dependentTools(policy: PolicyDocument): readonly string[] {
  return isKnownPolicy(policy) && policy.type === 'sequential_dependency'
    ? Object.keys(policy.dependencies)
    : []
}

/** `*` for a rule that governs every tool. */
function deniableTools(policy: PolicyDocument): readonly string[] {
  if (!isKnownPolicy(policy)) return policy.tools ?? ['*']
  switch (policy.type) {
    case 'sequential_dependency':
      return Object.entries(policy.dependencies).flatMap(([tool, needed]) =>
        needed.length > 0 ? [tool] : [],
      )
    case 'read_before_write':
      return policy.write_tools
    case 'expression':
      return policy.tools ?? ['*']
    case 'rate_limit':
    case 'approval':
      return policy.tools
    default:
      return policy satisfies never
  }
}

/** A section's own rules are told of tools outside the section already, prerequisites are errors. */
function undeclared({
  policies,
  providers,
  checkers,
  declaredTools,
}: PlacedDocument): readonly Problem[] {
  const named = [
    ...policies
      .filter((policy) => policy.section === null && !isOff(policy))
      .flatMap(({ item, pointer }) => toolsNamedBy(item, pointer)),
    ...providers.flatMap(toolOfProvider),
    ...checkers.flatMap(toolsAfter),
  ]
  return named.flatMap(({ item: tool, pointer }) => {
    if (declaredTools.has(tool)) return []
    const message = `No section declares the tool "${tool}", so this has no effect. Declare it or correct its name.`
    return [warning(pointer, 'undeclared_tool', message)]
  })
}

export function toolsNamedBy(policy: PolicyDocument, pointer: string): readonly Placed<string>[] {
  const listed = (field: string, tools: readonly string[]): Placed<string>[] =>
    place(tools, pointerTo(pointer, field))
  if (!isKnownPolicy(policy)) return listed('tools', policy.tools ?? [])
  switch (policy.type) {
    case 'sequential_dependency': {
      const base = pointerTo(pointer, 'dependencies')
      return Object.keys(policy.dependencies).map((item) => ({
        item,
        pointer: pointerTo(base, item),
      }))
    }
    case 'read_before_write':
      return [
        ...listed('read_tools', policy.read_tools),
        ...listed('write_tools', policy.write_tools),
      ]
    case 'expression':
    case 'rate_limit':
    case 'approval':
      return listed('tools', policy.tools ?? [])
    default:
      return policy satisfies never
  }
}

function toolOfProvider({ item, pointer }: Placed<FeedbackProviderDocument>): Placed<string>[] {
  if (!isKnownProvider(item) || item.type !== 'repeated_failure' || item.tool === undefined) {
    return []
  }
  return [{ item: item.tool, pointer: pointerTo(pointer, 'tool') }]
}

/** The tool of the checker itself is told of where it makes the checker fail. */
function toolsAfter({ item, pointer }: PlacedChecker): Placed<string>[] {
  if (!isKnownChecker(item) || item.type !== 'tool_succeeded') return []
  return place(item.after ?? [], pointerTo(pointer, 'after'))
}

/** Every place of the document that names a tool: declared, governed, needed, or waited for. */
export function placesOfTools(document: ConfigDocument): readonly Placed<string>[] {
  const { sections, policies, providers, checkers } = placeDocument(document)
  return [
    ...sections.flatMap(({ item, pointer }) =>
      place(item.tools ?? [], pointerTo(pointer, 'tools')),
    ),
    ...policies.flatMap(({ item, pointer }) => [
      ...toolsNamedBy(item, pointer),
      ...prerequisites(item, pointer),
    ]),
    ...providers.flatMap(toolOfProvider),
    ...checkers.flatMap((checker) => [...toolOfChecker(checker), ...toolsAfter(checker)]),
  ]
}

function prerequisites(policy: PolicyDocument, pointer: string): readonly Placed<string>[] {
  if (!isKnownPolicy(policy) || policy.type !== 'sequential_dependency') return []
  const base = pointerTo(pointer, 'dependencies')
  return Object.entries(policy.dependencies).flatMap(([tool, needed]) =>
    place(needed, pointerTo(base, tool)),
  )
}

function toolOfChecker({ item, pointer }: PlacedChecker): Placed<string>[] {
  if (!isKnownChecker(item) || item.type !== 'tool_succeeded') return []
  return [{ item: item.tool, pointer: pointerTo(pointer, 'tool') }]
}
