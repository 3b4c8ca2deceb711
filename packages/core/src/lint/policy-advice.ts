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
  expression: { advice: tooWideConditions, blindSpots: finishedCalls },
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

/** Warns about conditions that deny calls of tools that the author did not think of, where neither tools nor a section limit them. */
function tooWideConditions({
  item,
  pointer,
  section,
}: PolicyPlace<ExpressionPolicyDocument>): readonly Problem[] {
  if (section !== null || item.tools !== undefined || item.mode === 'off') return []
  const { source, mustHold } = readCondition(item)
  const place = conditionPointer(item, pointer)
  if (item.mode !== 'shadow' && readsOnlySession(source)) {
    const message = `This condition reads only session, so ${mustHold ? 'while it does not hold' : 'once it holds'} every call of every tool is denied. Limit the rule with tools, read tool or args, or try it with mode "shadow".`
    return [warning(place, 'denies_every_tool', message)]
  }
  const needed = findNeededArguments(source)
  if (needed.length === 0) return []
  const has = needed.map((name) => `has(args.${name})`).join(' && ')
  const message = `A call without the argument ${needed.join(' or ')} is denied, because this condition cannot be evaluated for it. Name the tools that have it, or test ${has} first.`
  const problem = warning(place, 'denies_other_tools', message)
  // A comment would hide the closing bracket.
  if (source.includes('//')) return [problem]
  const value = mustHold ? `!(${has}) || (${source})` : `${has} && (${source})`
  return [{ ...problem, fix: { kind: 'set', pointer: place, value } }]
}

const STRINGS_AND_COMMENTS =
  /\/\/[^\n]*|"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g

/** Matches variable names, but not fields with the same name. */
const VARIABLES = /(?<![.\w]\s*)\b(?:tool|args|calls|session)\b/g

function readsOnlySession(source: string): boolean {
  const names = source.replaceAll(STRINGS_AND_COMMENTS, '').match(VARIABLES) ?? []
  return names.length > 0 && names.every((name) => name === 'session')
}

/** Matches the names of arguments, but not methods of the map of arguments. */
const ARGUMENTS = /(?<![.\w]\s*)\bargs\.(\w+)(?!\w|\s*\()/g

/** Arguments that the condition reads without a test that they exist. Empty where it reads the tool's name, which may limit it. */
function findNeededArguments(source: string): readonly string[] {
  const bare = source.replaceAll(STRINGS_AND_COMMENTS, '""')
  if (/(?<![.\w]\s*)\btool\b|\bin\s+args\b/.test(bare)) return []
  const names = [...bare.matchAll(ARGUMENTS)].map(([, name = '']) => name)
  const tested = new Set([...bare.matchAll(/\bhas\(\s*args\.(\w+)\s*\)/g)].map(([, name]) => name))
  return [...new Set(names)].filter((name) => !tested.has(name))
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
