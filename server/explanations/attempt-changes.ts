import type { CheckResult, StopDecision } from '@signalbox/core'
import { openItems } from '@signalbox/core/analysis'

type Leaves = ReadonlyMap<string, CheckResult>

function collectLeaves(check: CheckResult | null): Leaves {
  const found = new Map<string, CheckResult>()
  const visit = (result: CheckResult): void => {
    if (result.children === undefined) found.set(result.checker, result)
    else result.children.forEach(visit)
  }
  if (check !== null) visit(check)
  return found
}

const isOpen = ({ status }: CheckResult): boolean => status === 'incomplete' || status === 'error'

function stepTitles({ params }: CheckResult, isDone: boolean): readonly string[] {
  const steps = params['steps']
  if (!Array.isArray(steps)) return []
  return steps.flatMap((step) => {
    if (typeof step !== 'object' || step === null || Array.isArray(step)) return []
    return (step['status'] === 'done') === isDone ? [String(step['title'])] : []
  })
}

/** Items that a check reported as open before and no longer does; only for checks that list items. */
function itemChanges(before: CheckResult, now: CheckResult): readonly string[] {
  const [was, is] = [openItems(before), openItems(now)]
  const done = new Set(stepTitles(now, true))
  const left = was.filter((item) => !is.includes(item))
  const added = is.filter((item) => !was.includes(item))
  const verb = (item: string): string => {
    if (now.code !== 'plan.open_steps') return 'is there'
    return done.has(item) ? 'is done' : 'is no longer in the plan'
  }
  return [
    ...left.map((item) => `“${item}” ${verb(item)}`),
    ...added.map((item) => `“${item}” is open, and was not before`),
  ]
}

const WORD: Record<CheckResult['status'], string> = {
  passed: 'passed',
  nothing_to_check: 'nothing to check',
  incomplete: 'incomplete',
  not_evaluated: 'not evaluated',
  bypassed: 'bypassed',
  error: 'error',
}

function describeCheckChanges(
  before: CheckResult | undefined,
  now: CheckResult,
): readonly string[] {
  if (before === undefined) return [`\`${now.checker}\` is checked, and was not before`]
  if (isOpen(before) && isOpen(now)) {
    const items = itemChanges(before, now)
    if (items.length > 0) return items
  }
  if (before.status === now.status) return []
  return [`\`${now.checker}\`: ${WORD[before.status]}, now ${WORD[now.status]}`]
}

export function loadAttemptChanges(
  before: Pick<StopDecision, 'check'>,
  now: Pick<StopDecision, 'check'>,
): readonly string[] {
  const [was, is] = [collectLeaves(before.check), collectLeaves(now.check)]
  const gone = [...was.keys()].filter((checker) => !is.has(checker))
  return [
    ...[...is.values()].flatMap((result) => describeCheckChanges(was.get(result.checker), result)),
    ...gone.map((checker) => `\`${checker}\` is no longer checked`),
  ]
}
