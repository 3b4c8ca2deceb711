import { type Placed, place, warning } from '../kinds/base/place.ts'
import type { ForegoneAnswer } from '../kinds/checkers/checker-rule.ts'
import { type CheckerDocument, checkerRule, isComposite } from '../kinds/checkers.ts'
import type { PlacedDocument, PlacedPolicy } from '../kinds/placed.ts'
import { policyRule } from '../kinds/policies.ts'
import { pointerTo } from '../model/json.ts'
import type { Problem } from '../model/problem.ts'

export function reachabilityAdvice(
  placed: PlacedDocument,
  root: CheckerDocument | undefined,
): readonly Problem[] {
  const blocked = blockedTools(placed)
  return [
    ...[...blocked].map(([tool, { pointer, why }]) =>
      warning(pointer, 'unreachable_tool', `The tool "${tool}" can never run: ${why}`),
    ),
    ...(root === undefined ? [] : checkerAdvice(root, { placed, blocked })),
  ]
}

interface Block {
  readonly pointer: string
  readonly why: string
}

type Blocked = ReadonlyMap<string, Block>

/** Tools that an enforced rule always denies, and tools that need one of these. Cycles are separate errors. */
function blockedTools(placed: PlacedDocument): Blocked {
  const blocked = new Map<string, Block>()
  const enforced = placed.policies.filter(({ item }) => (item.mode ?? 'enforce') === 'enforce')
  for (const policy of enforced) {
    for (const tool of listAlwaysDenied(policy, placed)) {
      const why = `the rule "${policy.item.id}" always denies it. Change the condition or remove the tool.`
      blocked.set(tool, { pointer: policy.pointer, why })
    }
  }
  if (blocked.size > 0) addDependents(enforced.flatMap(listReachEdges), blocked)
  return blocked
}

function listAlwaysDenied(
  policy: PlacedPolicy,
  { declaredTools }: PlacedDocument,
): readonly string[] {
  const { item, section } = policy
  const rule = policyRule(item)
  if (!rule.deniesAlways(item)) return []
  const named = rule.denies(item)
  const governed = named === 'every' ? (section?.tools ?? [...declaredTools]) : named
  return governed.filter((tool) => governs(policy, tool))
}

/** A section's rule governs only the section's tools. */
function governs({ section }: PlacedPolicy, tool: string): boolean {
  return section === null || (section.tools ?? []).includes(tool)
}

interface Edge {
  readonly tool: string
  readonly needed: string
  readonly pointer: string
}

function listReachEdges(policy: PlacedPolicy): readonly Edge[] {
  const { item, pointer } = policy
  return policyRule(item)
    .prerequisites(item, pointer)
    .flatMap(({ tool, needed: all, pointer: at }) =>
      governs(policy, tool) ? all.map((needed) => ({ tool, needed, pointer: at })) : [],
    )
}

function addDependents(edges: readonly Edge[], blocked: Map<string, Block>): void {
  const dependents = new Map<string, Edge[]>()
  for (const edge of edges) {
    const known = dependents.get(edge.needed)
    if (known === undefined) dependents.set(edge.needed, [edge])
    else known.push(edge)
  }
  const waiting = [...blocked.keys()]
  for (let needed = waiting.pop(); needed !== undefined; needed = waiting.pop()) {
    for (const { tool, pointer } of dependents.get(needed) ?? []) {
      if (blocked.has(tool)) continue
      const why = `it needs "${needed}", which can never run. Remove the prerequisite or let "${needed}" run.`
      blocked.set(tool, { pointer, why })
      waiting.push(tool)
    }
  }
}

interface Known {
  readonly placed: PlacedDocument
  readonly blocked: Blocked
}

function predictAnswer(checker: CheckerDocument, known: Known): ForegoneAnswer {
  if (!isComposite(checker)) {
    return checkerRule(checker)?.answer(checker, (tool) => isReachable(tool, known)) ?? 'depends'
  }
  const answers = checker.checkers.map((child) => predictAnswer(child, known))
  return combineAnswers(answers, checker.all_must_pass ?? true)
}

function isReachable(tool: string, { placed: { declaredTools }, blocked }: Known): boolean {
  return !blocked.has(tool) && (declaredTools.size === 0 || declaredTools.has(tool))
}

/** A composite without children passes. */
function combineAnswers(answers: readonly ForegoneAnswer[], allMustPass: boolean): ForegoneAnswer {
  if (answers.length === 0) return 'always'
  const [deciding, other] = allMustPass
    ? (['never', 'always'] as const)
    : (['always', 'never'] as const)
  if (answers.includes(deciding)) return deciding
  return answers.every((answer) => answer === other) ? other : 'depends'
}

function checkerAdvice(root: CheckerDocument, known: Known): readonly Problem[] {
  const pointer = '/task_completion_checker'
  const trapped =
    predictAnswer(root, known) === 'never'
      ? [
          warning(
            pointer,
            'stop_never_passes',
            'No stop can ever pass these checks: the agent is sent back until limits.max_stop_blocks is reached. Correct the checks below.',
          ),
        ]
      : []
  return [...trapped, ...within({ item: root, pointer }, known)]
}

function within({ item, pointer }: Placed<CheckerDocument>, known: Known): readonly Problem[] {
  if (!isComposite(item)) return leafAdvice({ item, pointer }, known)
  const children = place(item.checkers, pointerTo(pointer, 'checkers'))
  const deciding: ForegoneAnswer = (item.all_must_pass ?? true) ? 'never' : 'always'
  const last = children.findIndex((child) => predictAnswer(child.item, known) === deciding)
  const skipped = last === -1 ? [] : children.slice(last + 1)
  return [
    ...children.flatMap((child) => within(child, known)),
    ...skipped.map((child) => unreached(child, { by: children[last]?.item.id ?? '', deciding })),
  ]
}

function leafAdvice({ item, pointer }: Placed<CheckerDocument>, known: Known): readonly Problem[] {
  const answer = predictAnswer(item, known)
  if (answer === 'depends') return []
  const message =
    answer === 'never'
      ? 'This check can never pass, because its tool can never run or its condition is false. Correct it or remove it.'
      : 'This check always passes. Correct its condition or remove it.'
  return [
    warning(pointer, answer === 'never' ? 'check_never_passes' : 'check_always_passes', message),
  ]
}

function unreached(
  { pointer }: Placed<CheckerDocument>,
  { by, deciding }: { readonly by: string; readonly deciding: ForegoneAnswer },
): Problem {
  const message = `This check is never evaluated, because "${by}" before it ${deciding} passes and so decides. Move it before "${by}" or remove it.`
  return warning(pointer, 'unreachable_check', message)
}
