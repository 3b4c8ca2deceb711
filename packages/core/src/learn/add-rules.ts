// A config with proposals in it.
import { type CheckerDocument, isComposite } from '../kinds/checkers.ts'
import type { ConfigDocument } from '../kinds/config.ts'
import { placeDocument } from '../kinds/placed.ts'
import type { SequentialDependencyDocument } from '../kinds/policies/sequential-dependency.ts'
import type { PolicyDocument } from '../kinds/policies.ts'
import type { RuleMode } from '../model/rule.ts'
import { isSameJson } from '../model/same-json.ts'
import type { PlacedRule } from './pattern.ts'

/** Orders that differ only in what makes them outdated become one. Checks have no mode: they act at once. */
export function addRules(
  document: ConfigDocument,
  added: readonly PlacedRule[],
  mode: RuleMode,
): ConfigDocument {
  const policies = added.flatMap((one) => (one.pointer === '/policies/-' ? [one.rule] : []))
  const providers = added.flatMap((one) =>
    one.pointer === '/feedback_providers/-' ? [{ ...one.rule, mode }] : [],
  )
  const checkers = added.flatMap((one) =>
    one.pointer === '/task_completion_checker' ? [one.rule] : [],
  )
  const checker = addCheckers(document, checkers)
  return {
    ...document,
    ...(policies.length === 0
      ? {}
      : {
          policies: [
            ...(document.policies ?? []),
            ...joinOrders(policies).map((rule) => ({ ...rule, mode })),
          ],
        }),
    ...(providers.length === 0
      ? {}
      : { feedback_providers: [...(document.feedback_providers ?? []), ...providers] }),
    ...(checker === undefined ? {} : { task_completion_checker: checker }),
  }
}

function isOrder(rule: PolicyDocument): rule is SequentialDependencyDocument {
  return rule.type === 'sequential_dependency'
}

function joinOrders(policies: readonly PolicyDocument[]): readonly PolicyDocument[] {
  const joined: PolicyDocument[] = []
  for (const rule of policies) {
    const at = joined.findIndex((one) => isSameOrder(one, rule))
    const same = joined[at]
    if (same === undefined || !isOrder(same) || !isOrder(rule)) joined.push(rule)
    else joined[at] = { ...same, after: [...(same.after ?? []), ...(rule.after ?? [])] }
  }
  return joined
}

function isSameOrder(a: PolicyDocument, b: PolicyDocument): boolean {
  return isOrder(a) && isOrder(b) && isSameJson({ ...a.dependencies }, { ...b.dependencies })
}

const TOGETHER = 'all-checks'

function addCheckers(
  document: ConfigDocument,
  added: readonly CheckerDocument[],
): CheckerDocument | undefined {
  const { task_completion_checker: root } = document
  const [first, ...others] = added
  if (first === undefined) return root
  if (root !== undefined && isComposite(root) && root.all_must_pass !== false)
    return { ...root, checkers: [...root.checkers, ...added] }
  if (root === undefined && others.length === 0) return first
  const checkers = [...(root === undefined ? [] : [root]), ...added]
  return { id: findFreeId(document, TOGETHER), type: 'composite', checkers }
}

/** The id, or with a number where a rule already has it. */
export function findFreeId(document: ConfigDocument, id: string): string {
  const { policies, content, providers, checkers } = placeDocument(document)
  const used = new Set(
    [...policies, ...content, ...providers, ...checkers].map(({ item }) => item.id),
  )
  for (let i = 2; ; i++) {
    const name = i === 2 ? id : `${id.slice(0, 60)}-${i - 1}`
    if (!used.has(name)) return name
  }
}
