import type { CheckerDocument } from '../kinds/checkers.ts'
import type { ConfigDocument } from '../kinds/config.ts'
import {
  findFreeId,
  joinCheckers,
  withChecker,
  withOnlyRules,
  withPolicy,
  withRuleMode,
} from '../kinds/edit-document.ts'
import { placeDocument } from '../kinds/placed.ts'
import type { PolicyDocument } from '../kinds/policies.ts'
import type { JsonValue } from '../model/json.ts'
import { isSameJson } from '../model/same-json.ts'

/** A change of one rule, which can also be made to a newer version of the document. */
export type Edit =
  | { readonly kind: 'enforce'; readonly rule: string }
  /** Fields of a policy or checker that the document has. */
  | { readonly kind: 'change_policy'; readonly policy: PolicyDocument }
  | { readonly kind: 'change_checker'; readonly checker: CheckerDocument }
  | { readonly kind: 'add_policy'; readonly policy: PolicyDocument }
  | { readonly kind: 'add_checker'; readonly checker: CheckerDocument }

/** The id of an added rule is changed if the document has it already. */
export function applyEdit(document: ConfigDocument, edit: Edit): ConfigDocument {
  switch (edit.kind) {
    case 'enforce':
      return withRuleMode(document, { rule: edit.rule, mode: 'enforce' })
    case 'change_policy':
      return withPolicy(document, edit.policy)
    case 'change_checker':
      return withChecker(document, edit.checker)
    case 'add_policy': {
      const policy = { ...edit.policy, id: findRuleId(document, edit.policy.id) }
      return { ...document, policies: [...(document.policies ?? []), policy] }
    }
    case 'add_checker': {
      const checker = { ...edit.checker, id: findRuleId(document, edit.checker.id) }
      const root = joinCheckers(document, [checker], 'all')
      return { ...document, ...(root && { task_completion_checker: root }) }
    }
    default:
      return edit satisfies never
  }
}

/** False: the rule that the edit changes was changed or removed since `madeOn`, so the edit would undo that. */
export function mayApply(edit: Edit, madeOn: ConfigDocument, document: ConfigDocument): boolean {
  if (edit.kind !== 'change_policy' && edit.kind !== 'change_checker') return true
  const rules = (one: ConfigDocument) => {
    const { policies, checkers } = placeDocument(one)
    return edit.kind === 'change_policy' ? policies : checkers
  }
  const { id } = edit.kind === 'change_policy' ? edit.policy : edit.checker
  // Rules are JSON; their types only lack an index signature.
  const find = (one: ConfigDocument) =>
    (rules(one).find(({ item }) => item.id === id)?.item ?? null) as unknown as JsonValue
  return isSameJson(find(madeOn), find(document))
}

const LONGEST_ID = 64

/** A free id with the characters that ids may have. */
function findRuleId(document: ConfigDocument, wanted: string): string {
  const id = wanted
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+/, '')
  return findFreeId(document, id.slice(0, LONGEST_ID))
}

/** Id of the changed or added rule in the document that `applyEdit` made. */
export function findEdited(edit: Edit, before: ConfigDocument): string {
  switch (edit.kind) {
    case 'enforce':
      return edit.rule
    case 'change_policy':
      return edit.policy.id
    case 'change_checker':
      return edit.checker.id
    case 'add_policy':
      return findRuleId(before, edit.policy.id)
    case 'add_checker':
      return findRuleId(before, edit.checker.id)
    default:
      return edit satisfies never
  }
}

/** The changed document with the changed rule alone, and with the rules `also` where they are. */
export function leaveAlone(
  before: ConfigDocument,
  edit: Edit,
  also: readonly string[],
): ConfigDocument {
  const rest = withOnlyRules(applyEdit(before, edit), new Set([findEdited(edit, before), ...also]))
  return edit.kind === 'change_checker' || edit.kind === 'add_checker'
    ? { ...rest, task_completion_checker: edit.checker }
    : rest
}
