import {
  type CheckerDocument,
  type ConfigDocument,
  isComposite,
  type JsonObject,
} from '@signalbox/core'

export type RuleKind = 'policy' | 'feedback_provider' | 'checker'

export interface RuleType {
  readonly kind: RuleKind
  readonly type: string
}

interface Typed {
  readonly type: string
  readonly optional?: boolean
  readonly after?: readonly string[]
}

interface Section {
  readonly content?: readonly { readonly kind: string }[]
  readonly policies?: readonly Typed[]
  readonly sections?: readonly Section[]
}

function listTypedPolicies(section: Section): readonly Typed[] {
  // Runtimes list content rules, and fields that came later, beside the policies that they know.
  const later = (section.policies ?? []).flatMap((policy) =>
    policy.after === undefined ? [] : [{ ...policy, type: `${policy.type}.after` }],
  )
  const content = (section.content ?? []).map(({ kind }) => ({ type: `content:${kind}` }))
  return [
    ...(section.policies ?? []),
    ...later,
    ...content,
    ...(section.sections ?? []).flatMap(listTypedPolicies),
  ]
}

function listTypedCheckers(checker: CheckerDocument | undefined): readonly Typed[] {
  if (checker === undefined) return []
  return isComposite(checker)
    ? [checker, ...checker.checkers.flatMap(listTypedCheckers)]
    : [checker]
}

/** Each type once. Optional rules are omitted, because a runtime that lacks them skips them. */
export function typesNeeded(document: ConfigDocument): readonly RuleType[] {
  const rules: readonly (readonly [RuleKind, readonly Typed[]])[] = [
    ['policy', listTypedPolicies(document)],
    ['feedback_provider', document.feedback_providers ?? []],
    ['checker', listTypedCheckers(document.task_completion_checker)],
  ]
  const needed = rules.flatMap(([kind, typed]) =>
    typed.filter(({ optional }) => optional !== true).map(({ type }) => ({ kind, type })),
  )
  const byName = new Map(needed.map((need) => [`${need.kind} ${need.type}`, need]))
  return [...byName.values()]
}

const LIST = {
  policy: 'policies',
  feedback_provider: 'feedback_providers',
  checker: 'checkers',
} as const satisfies Record<RuleKind, string>

function isCustom(item: unknown, { kind, type }: RuleType): boolean {
  if (typeof item !== 'object' || item === null) return false
  return 'kind' in item && item.kind === kind && 'type' in item && item.type === type
}

/** `capabilities`: as the runtime registered them. A type that is not listed is missing. */
export function typesMissing(
  needed: readonly RuleType[],
  capabilities: JsonObject,
): readonly RuleType[] {
  const custom = capabilities['custom_types']
  return needed.filter((need) => {
    const listed = capabilities[LIST[need.kind]]
    if (Array.isArray(listed) && listed.includes(need.type)) return false
    return !(Array.isArray(custom) && custom.some((item) => isCustom(item, need)))
  })
}
