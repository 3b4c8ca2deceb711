// Only lint reads these parts of a type, so the pages that load its file do without them.

import { warning } from '../kinds/base/place.ts'
import {
  conditionPointer,
  type ExpressionPolicyDocument,
  readCondition,
} from '../kinds/policies/expression.ts'
import type { PolicyPlace, Surroundings } from '../kinds/policies/policy-rule.ts'
import type { ReadBeforeWriteDocument } from '../kinds/policies/read-before-write.ts'
import {
  isKnownPolicy,
  type PolicyDocument,
  type PolicyDocumentOf,
  type PolicyType,
} from '../kinds/policies.ts'
import { pointerTo } from '../model/json.ts'
import type { Problem } from '../model/problem.ts'

interface PolicyAdvice<Document> {
  /** Warns about a rule that denies everything, or more than its author can mean. */
  advice(place: PolicyPlace<Document>): readonly Problem[]
  /** Calls that the rule does not see. */
  blindSpots(place: PolicyPlace<Document>, surroundings: Surroundings): readonly Problem[]
}

/** A type without traps is absent. */
const ADVICE: { readonly [Type in PolicyType]?: PolicyAdvice<PolicyDocumentOf<Type>> } = {
  read_before_write: { advice: readTrap, blindSpots: findUnseenWrites },
  expression: { advice: sessionConditions, blindSpots: finishedCalls },
}

/** undefined: nothing is known to go wrong with the document's type, or code outside core answers for it. */
export function policyAdvice(document: PolicyDocument): PolicyAdvice<PolicyDocument> | undefined {
  return isKnownPolicy(document) ? ADVICE[document.type] : undefined
}

function readTrap({ item, pointer }: PolicyPlace<ReadBeforeWriteDocument>): readonly Problem[] {
  const { mode, read_tools: readers, write_tools: writers } = item
  if (mode === 'off') return []
  if (readers.length === 0 || !readers.every((tool) => writers.includes(tool))) return []
  const message = `Every tool that reads is also one that must have read before, so an existing file can never be read or written. Take ${readers.join(', ')} out of write_tools, or name another reading tool.`
  return [warning(pointerTo(pointer, 'read_tools'), 'only_writers_read', message)]
}

const SHELL =
  /^(local_)?(bash|zsh|sh|shell|powershell|terminal|exec|command)$|^(run|execute|exec)_(in_)?(shell|bash|command|terminal|shell_command|terminal_cmd)$/i
const MCP = /^mcp_/i

function findUnseenWrites(
  { item, pointer }: PolicyPlace<ReadBeforeWriteDocument>,
  { tools, isHeld }: Surroundings,
): readonly Problem[] {
  if (item.mode === 'off') return []
  const known = new Set([...item.read_tools, ...item.write_tools])
  const unseen = tools.filter((tool) => !known.has(tool))
  const shells = unseen.filter((tool) => SHELL.test(tool) && !isHeld(tool))
  const foreign = unseen.filter((tool) => MCP.test(tool) && !isHeld(tool))
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

/** Conditions on the session alone deny every call or none, unless tools or a section limit them. */
function sessionConditions({
  item,
  pointer,
  section,
}: PolicyPlace<ExpressionPolicyDocument>): readonly Problem[] {
  if (section !== null || item.tools !== undefined || (item.mode ?? 'enforce') !== 'enforce') {
    return []
  }
  const { source, mustHold } = readCondition(item)
  if (!readsOnlySession(source)) return []
  const message = `This condition reads only session, so ${mustHold ? 'while it does not hold' : 'once it holds'} every call of every tool is denied. Limit the rule with tools, read tool or args, or try it with mode "shadow".`
  return [warning(conditionPointer(item, pointer), 'denies_every_tool', message)]
}

const STRINGS_AND_COMMENTS =
  /\/\/[^\n]*|"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g

/** Matches variable names, but not fields with the same name. */
const VARIABLES = /(?<![.\w]\s*)\b(?:tool|args|calls|session)\b/g

function readsOnlySession(source: string): boolean {
  const names = source.replaceAll(STRINGS_AND_COMMENTS, '').match(VARIABLES) ?? []
  return names.length > 0 && names.every((name) => name === 'session')
}

const COUNTED =
  /\bcalls(?:\.([A-Za-z0-9_]+)|\[["']([A-Za-z0-9_-]+)["']\])\.(calls|succeeded)\s*(<=?|>=?|==)/g

/** Warns about limits on finished calls: calls that are requested at the same time all see the same number of finished ones. */
function finishedCalls({
  item,
  pointer,
}: PolicyPlace<ExpressionPolicyDocument>): readonly Problem[] {
  if (item.mode === 'off') return []
  const { source, mustHold } = readCondition(item)
  for (const [, dotted, quoted, , operator] of source.matchAll(COUNTED)) {
    const tool = dotted ?? quoted ?? ''
    const isLimit = mustHold ? operator?.startsWith('<') : operator?.startsWith('>')
    const governs = item.tools === undefined || item.tools.includes(tool)
    if (isLimit !== true || !governs) continue
    const message = `calls counts calls that have finished, so several calls of ${tool} that are requested at once can pass this limit. Use a rate_limit, which counts allowed calls.`
    return [warning(conditionPointer(item, pointer), 'count_of_finished_calls', message)]
  }
  return []
}
