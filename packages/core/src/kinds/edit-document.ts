import type { RuleMode } from '../model/rule.ts'
import { type CheckerDocument, isComposite } from './checkers.ts'
import type { ConfigDocument, SectionDocument } from './config.ts'
import { placeDocument } from './placed.ts'
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

const LONGEST_ID = 64

/** The id, or with a number where a rule of the document, or one of `taken`, already has it. */
export function findFreeId(
  document: ConfigDocument,
  id: string,
  taken: readonly string[] = [],
): string {
  const { policies, content, providers, checkers } = placeDocument(document)
  const used = new Set(
    [...policies, ...content, ...providers, ...checkers].map(({ item }) => item.id).concat(taken),
  )
  for (let i = 2; ; i++) {
    const name = i === 2 ? id : `${id.slice(0, LONGEST_ID - 4)}-${i - 1}`
    if (!used.has(name)) return name
  }
}

/** The root with checkers that every stop must pass, too. `together`: id of a new root, if one is needed. */
export function joinCheckers(
  document: ConfigDocument,
  added: readonly CheckerDocument[],
  together: string,
): CheckerDocument | undefined {
  const { task_completion_checker: root } = document
  const [first, ...others] = added
  if (first === undefined) return root
  if (root !== undefined && isComposite(root) && root.all_must_pass !== false)
    return { ...root, checkers: [...root.checkers, ...added] }
  if (root === undefined && others.length === 0) return first
  const checkers = [...(root === undefined ? [] : [root]), ...added]
  return { id: findFreeId(document, together), type: 'composite', checkers }
}

/** Checkers that every stop must pass. One that is only one way to pass is not among them. */
export function listRequired({
  task_completion_checker: root,
}: Pick<ConfigDocument, 'task_completion_checker'>): readonly CheckerDocument[] {
  const below = (checker: CheckerDocument): readonly CheckerDocument[] => {
    if (!isComposite(checker)) return [checker]
    return checker.all_must_pass === false ? [] : checker.checkers.flatMap(below)
  }
  return root === undefined ? [] : below(root)
}
