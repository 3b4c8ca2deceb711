import type { RuleMode } from '../model/rule.ts'
import { type CheckerDocument, isComposite } from './checkers.ts'
import type { ConfigDocument, SectionDocument } from './config.ts'

interface Moded {
  readonly id: string
  readonly mode?: RuleMode
}

/** Maps the rules that have a mode; null removes a rule. */
function mapRules(
  document: ConfigDocument,
  change: <Rule extends Moded>(rule: Rule) => Rule | null,
): ConfigDocument {
  const all = <Rule extends Moded>(rules: readonly Rule[]): Rule[] =>
    rules.flatMap((rule) => change(rule) ?? [])
  const within = (section: SectionDocument): SectionDocument => ({
    ...section,
    ...(section.policies === undefined ? {} : { policies: all(section.policies) }),
    ...(section.content === undefined ? {} : { content: all(section.content) }),
    ...(section.sections === undefined ? {} : { sections: section.sections.map(within) }),
  })
  return {
    ...document,
    ...(document.sections === undefined ? {} : { sections: document.sections.map(within) }),
    ...(document.policies === undefined ? {} : { policies: all(document.policies) }),
    ...(document.content === undefined ? {} : { content: all(document.content) }),
    ...(document.feedback_providers === undefined
      ? {}
      : { feedback_providers: all(document.feedback_providers) }),
  }
}

/** Returns an equal document if no policy, content rule or provider has this id. Checkers have no mode. */
export function withRuleMode(
  document: ConfigDocument,
  { rule: id, mode }: { readonly rule: string; readonly mode: RuleMode },
): ConfigDocument {
  return mapRules(document, (rule) => (rule.id === id ? { ...rule, mode } : rule))
}

export function withoutRule(document: ConfigDocument, id: string): ConfigDocument {
  const rest = mapRules(document, (rule) => (rule.id === id ? null : rule))
  const { task_completion_checker: root, ...others } = rest
  const checker = root === undefined ? null : withoutChecker(root, id)
  return checker === null ? others : { ...others, task_completion_checker: checker }
}

function withoutChecker(checker: CheckerDocument, id: string): CheckerDocument | null {
  if (checker.id === id) return null
  if (!isComposite(checker)) return checker
  return {
    ...checker,
    checkers: checker.checkers.flatMap((child) => withoutChecker(child, id) ?? []),
  }
}
