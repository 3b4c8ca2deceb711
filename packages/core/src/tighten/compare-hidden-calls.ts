// Aliases and redaction determine the calls that the base's rules see. They may be added to only where no rule of the base can miss one.

import { quoted, type StrictnessNote } from '../kinds/base/judgment.ts'
import { type CheckerDocument, isComposite, isKnownChecker } from '../kinds/checkers.ts'
import type { ConfigDocument } from '../kinds/config.ts'
import { placeDocument } from '../kinds/placed.ts'
import { isKnownPolicy, type PolicyDocument, policyRule } from '../kinds/policies.ts'
import { isJsonObject, type JsonValue, pointerTo } from '../model/json.ts'
import { isSameJson } from '../model/same-json.ts'

export function compareHiddenCalls(
  base: ConfigDocument,
  document: ConfigDocument,
): readonly StrictnessNote[] {
  return [...compareAliases(base, document), ...compareRedaction(base, document)]
}

function compareAliases(base: ConfigDocument, document: ConfigDocument): readonly StrictnessNote[] {
  const { aliases: before = {}, sections, policies, task_completion_checker } = base
  // Documents are JSON; their types only lack an index signature.
  const named = listTexts({ sections, policies, task_completion_checker } as unknown as JsonValue)
  const reader = findReader(base, readsAnyName, judgesFreely)
  return Object.entries(document.aliases ?? {}).flatMap(([name, tool]) => {
    if (Object.hasOwn(before, name) && before[name] === tool) return []
    const pointer = pointerTo('/aliases', name)
    const missed = [name, tool].filter((one) => named.has(one))
    if (Object.hasOwn(before, name)) {
      return [{ pointer, message: `The alias ${quoted([name])} means another tool` }]
    }
    if (missed.length > 0) {
      const message = `The alias ${quoted([name])} changes the calls that rules on ${quoted(missed)} see`
      return [{ pointer, message, isUnproven: true as const }]
    }
    if (reader === null) return []
    const message = `Rule ${quoted([reader])} may read the name of a tool, and the alias ${quoted([name])} changes it`
    return [{ pointer, message, isUnproven: true as const }]
  })
}

function compareRedaction(
  base: ConfigDocument,
  document: ConfigDocument,
): readonly StrictnessNote[] {
  const before = new Map((base.redaction ?? []).map((rule) => [rule.id, rule]))
  const reader = findReader(base, readsArguments, judgesContent)
  return (document.redaction ?? []).flatMap((rule, i) => {
    const was = before.get(rule.id)
    const pointer = `/redaction/${i}`
    // Documents are JSON; their types only lack an index signature.
    if (
      was !== undefined &&
      isSameJson(was as unknown as JsonValue, rule as unknown as JsonValue)
    ) {
      return []
    }
    if (was !== undefined) {
      const message = `Redaction ${quoted([rule.id])} differs`
      return [{ pointer, message, isUnproven: true as const }]
    }
    if (reader === null) return []
    const message = `Redaction ${quoted([rule.id])} may hide arguments from rule ${quoted([reader])}`
    return [{ pointer, message, isUnproven: true as const }]
  })
}

/** Id of the first rule of the base that reads calls in a way that no document shows; null: none. */
function findReader(
  base: ConfigDocument,
  reads: (policy: PolicyDocument) => boolean,
  judges: (checker: CheckerDocument) => boolean,
): string | null {
  const { policies, checkers } = placeDocument(base)
  const policy = policies.find(({ item }) => reads(item))
  const checker = checkers.find(({ item }) => !isComposite(item) && judges(item))
  return policy?.item.id ?? checker?.item.id ?? null
}

function readsAnyName(policy: PolicyDocument): boolean {
  return !isKnownPolicy(policy) || policy.type === 'expression' || 'when' in policy
}

function readsArguments(policy: PolicyDocument): boolean {
  return policyRule(policy).seesCommands || policy.type === 'read_before_write'
}

function judgesFreely(checker: CheckerDocument): boolean {
  return !isKnownChecker(checker) || checker.type === 'expression' || checker.type === 'llm_judge'
}

function judgesContent(checker: CheckerDocument): boolean {
  return judgesFreely(checker) || checker.type === 'plan'
}

function listTexts(value: JsonValue | undefined): ReadonlySet<string> {
  if (typeof value === 'string') return new Set([value])
  const names = isJsonObject(value) ? Object.keys(value) : []
  const parts = Array.isArray(value) ? value : isJsonObject(value) ? Object.values(value) : []
  return new Set([...names, ...parts.flatMap((part) => [...listTexts(part)])])
}
