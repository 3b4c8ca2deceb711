import type { CheckerDocument } from '@signalbox/core'
import type { TaskCompletionChecker } from './completion.ts'
import { toCustomType, toParamsField } from './rule-options.ts'
import type { RuleScribe } from './rule-scribe.ts'

export interface DeclaredChecker extends TaskCompletionChecker {
  toDocument(scribe: RuleScribe): CheckerDocument
}

function isDeclared(checker: TaskCompletionChecker): checker is DeclaredChecker {
  return 'toDocument' in checker
}

function resolveCheckerName(checker: TaskCompletionChecker): string {
  const made = checker.constructor === Object ? '' : checker.constructor.name
  return (checker.name ?? made) || 'checker'
}

export function checkerDocument(
  checker: TaskCompletionChecker,
  scribe: RuleScribe,
): CheckerDocument {
  if (isDeclared(checker)) return checker.toDocument(scribe)
  const name = resolveCheckerName(checker)
  const { id } = scribe.rule(name, checker.id === undefined ? {} : { id: checker.id })
  const type = toCustomType(name)
  scribe.checkers.set(id, { type, rule: checker })
  return { id, type, ...toParamsField(checker.params) }
}
