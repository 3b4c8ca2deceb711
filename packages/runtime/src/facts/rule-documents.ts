import type {
  CheckerDocument,
  ConfigDocument,
  FeedbackProviderDocument,
  PolicyDocument,
  SectionDocument,
} from '@signalbox/core'
import { isComposite } from '@signalbox/core'

export type RuleDocument = PolicyDocument | FeedbackProviderDocument | CheckerDocument

export function ruleDocuments(document: ConfigDocument): ReadonlyMap<string, RuleDocument> {
  const checker = document.task_completion_checker
  const rules = [
    ...(document.sections ?? []).flatMap(listPolicies),
    ...(document.policies ?? []),
    ...(document.feedback_providers ?? []),
    ...(checker === undefined ? [] : flattenCheckers(checker)),
  ]
  return new Map(rules.map((rule) => [rule.id, rule]))
}

function listPolicies(section: SectionDocument): readonly PolicyDocument[] {
  return [...(section.policies ?? []), ...(section.sections ?? []).flatMap(listPolicies)]
}

function flattenCheckers(checker: CheckerDocument): readonly CheckerDocument[] {
  return isComposite(checker) ? [checker, ...checker.checkers.flatMap(flattenCheckers)] : [checker]
}
