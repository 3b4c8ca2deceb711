import type { RuleMode } from '../model/rule.ts'
import { type CheckerDocument, isComposite } from './checkers.ts'
import type { ConfigDocument, SectionDocument } from './config.ts'
import type { PolicyDocument } from './policies.ts'

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

/** Gives the policy with this id these fields, where it is. Returns an equal document if there is none. */
export function withPolicy(document: ConfigDocument, policy: PolicyDocument): ConfigDocument {
  return mapRules(document, (rule) => (rule.id === policy.id ? { ...rule, ...policy } : rule))
}

/** Puts the checker in the place of that with its id. Returns an equal document if there is none. */
export function withChecker(document: ConfigDocument, checker: CheckerDocument): ConfigDocument {
  const root = document.task_completion_checker
  if (root === undefined) return document
  return { ...document, task_completion_checker: replaceChecker(root, checker) }
}

function replaceChecker(root: CheckerDocument, checker: CheckerDocument): CheckerDocument {
  if (root.id === checker.id) return checker
  if (!isComposite(root)) return root
  return { ...root, checkers: root.checkers.map((child) => replaceChecker(child, checker)) }
}

/** Keeps the policies and content rules with these ids where they are. Feedback and checks are left out. */
export function withOnlyRules(document: ConfigDocument, ids: ReadonlySet<string>): ConfigDocument {
  const rest = mapRules(document, (rule) => (ids.has(rule.id) ? rule : null))
  const { task_completion_checker: _checker, feedback_providers: _providers, ...kept } = rest
  return kept
}
