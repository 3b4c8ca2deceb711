// What a rule seems to hold and does not: writes that `read_before_write` cannot see, and limits on calls that have finished.
import type { ConfigDocument } from '../kinds/config.ts'
import { type PlacedDocument, type PlacedPolicy, warning } from '../kinds/placed.ts'
import { conditionOf } from '../kinds/policies/expression.ts'
import type { ReadBeforeWriteDocument } from '../kinds/policies/read-before-write.ts'
import { isKnownPolicy } from '../kinds/policies.ts'
import { pointerTo } from '../model/json.ts'
import type { Problem } from '../model/problem.ts'
import { toolsNamedBy } from './named-tools.ts'

export function unseenAdvice(document: ConfigDocument, placed: PlacedDocument): readonly Problem[] {
  const { policies } = placed
  const tools = toolsOf(document, placed)
  return policies.flatMap((policy) => [
    ...unseenWrites(policy, tools, policies),
    ...finishedCalls(policy),
  ])
}

/** Canonical names that the document declares or governs, in the order of their first mention. */
function toolsOf(
  { aliases = {} }: ConfigDocument,
  { sections, policies }: PlacedDocument,
): readonly string[] {
  const named = [
    ...sections.flatMap(({ item }) => item.tools ?? []),
    ...policies.flatMap(({ item, pointer }) =>
      toolsNamedBy(item, pointer).map((tool) => tool.item),
    ),
  ].map((tool) => aliases[tool] ?? tool)
  return [...new Set([...named, ...Object.values(aliases)])]
}

const SHELL =
  /^(local_)?(bash|zsh|sh|shell|powershell|terminal|exec|command)$|^(run|execute|exec)_(in_)?(shell|bash|command|terminal|shell_command|terminal_cmd)$/i
const MCP = /^mcp_/i

function unseenWrites(
  { item, pointer }: PlacedPolicy,
  tools: readonly string[],
  policies: readonly PlacedPolicy[],
): readonly Problem[] {
  if (!isKnownPolicy(item) || item.type !== 'read_before_write' || item.mode === 'off') return []
  const known = toolsKnownTo(item)
  const unseen = tools.filter((tool) => !known.has(tool))
  const shells = unseen.filter((tool) => SHELL.test(tool) && !isHeld(tool, policies))
  const foreign = unseen.filter((tool) => MCP.test(tool) && !isHeld(tool, policies))
  return [
    ...(shells.length === 0
      ? []
      : [
          `A command of ${shells.join(', ')} can write any file, and this rule does not see it. Add an expression or approval rule on ${shells.join(', ')}.`,
        ]),
    ...(foreign.length === 0
      ? []
      : [
          `If ${foreign.join(', ')} writes files, this rule does not see it. Map it to a canonical name in aliases, or name it in write_tools or read_tools.`,
        ]),
  ].map((message) => warning(pointer, 'reads_bypassed', message))
}

function toolsKnownTo({ read_tools, write_tools }: ReadBeforeWriteDocument): ReadonlySet<string> {
  return new Set([...read_tools, ...write_tools])
}

/** Whether a rule that can look at the command, or a person, decides about the tool. */
function isHeld(tool: string, policies: readonly PlacedPolicy[]): boolean {
  return policies.some(({ item }) => {
    if (item.mode === 'off') return false
    if (isKnownPolicy(item) && item.type !== 'expression' && item.type !== 'approval') return false
    return item.tools === undefined || item.tools.includes(tool)
  })
}

const COUNTED =
  /\bcalls(?:\.([A-Za-z0-9_]+)|\[["']([A-Za-z0-9_-]+)["']\])\.(calls|succeeded)\s*(<=?|>=?|==)/g

/** Calls that were requested at once all see the same number of finished ones. */
function finishedCalls({ item, pointer }: PlacedPolicy): readonly Problem[] {
  if (!isKnownPolicy(item) || item.type !== 'expression' || item.mode === 'off') return []
  const { source, mustHold } = conditionOf(item)
  for (const [, dotted, quoted, , operator] of source.matchAll(COUNTED)) {
    const tool = dotted ?? quoted ?? ''
    const isLimit = mustHold ? operator?.startsWith('<') : operator?.startsWith('>')
    const governs = item.tools === undefined || item.tools.includes(tool)
    if (isLimit !== true || !governs) continue
    const message = `calls counts calls that have finished, so several calls of ${tool} that are requested at once can pass this limit. Use a rate_limit, which counts allowed calls.`
    const at = pointerTo(pointer, mustHold ? 'require' : 'deny_when')
    return [warning(at, 'count_of_finished_calls', message)]
  }
  return []
}
