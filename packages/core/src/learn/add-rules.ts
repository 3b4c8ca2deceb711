// A config with proposals in it.
import type { ConfigDocument } from '../kinds/config.ts'
import { findFreeId, joinCheckers } from '../kinds/edit-document.ts'
import type { SequentialDependencyDocument } from '../kinds/policies/sequential-dependency.ts'
import type { PolicyDocument } from '../kinds/policies.ts'
import type { RuleMode } from '../model/rule.ts'
import { isSameJson } from '../model/same-json.ts'
import type { PlacedRule } from './pattern.ts'

/**
 * Orders that differ only in what makes them outdated become one, and an id that the document has gets a number. Checks have no mode: they act
 * at once. `within`: the document with the rules of its base; absent: it has none.
 */
export function addRules<Document extends ConfigDocument>(
  document: Document,
  added: readonly PlacedRule[],
  { mode, within = document }: { readonly mode: RuleMode; readonly within?: ConfigDocument },
): Document {
  const policies = added.flatMap((one) => (one.pointer === '/policies/-' ? [one.rule] : []))
  const providers = added.flatMap((one) =>
    one.pointer === '/feedback_providers/-' ? [one.rule] : [],
  )
  const checkers = added.flatMap((one) =>
    one.pointer === '/task_completion_checker' ? [one.rule] : [],
  )
  const taken: string[] = []
  const named = <Rule extends { readonly id: string }>(rule: Rule): Rule => {
    const id = findFreeId(within, rule.id, taken)
    taken.push(id)
    return { ...rule, id }
  }
  const moded = <Rule extends { readonly id: string }>(rule: Rule) => ({ ...named(rule), mode })
  const checker = joinCheckers(document, checkers.map(named), TOGETHER)
  return {
    ...document,
    ...(policies.length === 0
      ? {}
      : { policies: [...(document.policies ?? []), ...joinOrders(policies).map(moded)] }),
    ...(providers.length === 0
      ? {}
      : { feedback_providers: [...(document.feedback_providers ?? []), ...providers.map(moded)] }),
    ...(checker === undefined ? {} : { task_completion_checker: checker }),
  }
}

function isOrder(rule: PolicyDocument): rule is SequentialDependencyDocument {
  return rule.type === 'sequential_dependency'
}

/** The first of orders with the same dependencies stands for all of them. */
function joinOrders(policies: readonly PolicyDocument[]): readonly PolicyDocument[] {
  const orders = policies.filter(isOrder)
  return policies.flatMap<PolicyDocument>((rule) => {
    if (!isOrder(rule)) return [rule]
    const same = orders.filter((one) =>
      isSameJson({ ...one.dependencies }, { ...rule.dependencies }),
    )
    if (same[0] !== rule) return []
    const after = same.flatMap((one) => one.after ?? [])
    return [after.length === 0 ? rule : { ...rule, after: [...new Set(after)] }]
  })
}

const TOGETHER = 'all-checks'
