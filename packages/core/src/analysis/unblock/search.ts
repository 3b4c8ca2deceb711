// Branch and bound: the cost only grows with further checkers, so a partial choice that costs as much as the best one is dropped.
// Independent choices are made separately.
import type { Checker, CompositeChecker } from '../../kinds/checkers/checker.ts'
import { JUDGE_MODEL } from '../../kinds/checkers/llm-judge.ts'
import type { Need, Needs } from './needs.ts'

export interface Cost {
  readonly obstacles: number
  readonly steps: number
}

export interface Choice {
  readonly needs: readonly Need[]
  /** False: the search was cut short, so a smaller choice may exist. */
  readonly isSmallest: boolean
}

type CostOf = (needs: readonly Need[]) => Cost

/** Number of choices after which the search is cut short. Trees written by people need a handful. */
const MOST_CHOICES = 4_000

export function cheapestChoice(root: Checker, computeNeeds: Needs, computeCost: CostOf): Choice {
  const search: Search = { computeNeeds, computeCost, weighed: 0 }
  const needs = best(search, { open: [root], chosen: [], limit: null }) ?? []
  return { needs, isSmallest: search.weighed < MOST_CHOICES }
}

interface Search {
  readonly computeNeeds: Needs
  readonly computeCost: CostOf
  weighed: number
}

interface Task {
  readonly open: readonly Checker[]
  readonly chosen: readonly Need[]
  /** Only results cheaper than this are accepted; null: no limit. */
  readonly limit: Cost | null
}

/** All needs, those of `chosen` first; null: no choice is cheaper than the limit. */
function best(search: Search, { open, chosen, limit }: Task): readonly Need[] | null {
  search.weighed += 1
  const { needs, choices } = settle(open, chosen, search.computeNeeds)
  if (!isWithin(search.computeCost(needs), limit)) return null
  const groups = groupChoices(choices, search.computeNeeds)
  const [first] = groups
  if (first === undefined) return needs
  return groups.length === 1
    ? bestChild(search, first, { chosen: needs, limit })
    : findBestOfEach(search, groups, { chosen: needs, limit })
}

function bestChild(
  search: Search,
  [first, ...rest]: readonly CompositeChecker[],
  { chosen, limit }: Omit<Task, 'open'>,
): readonly Need[] | null {
  let found: readonly Need[] | null = null
  for (const child of first?.children ?? []) {
    if (found !== null && search.weighed >= MOST_CHOICES) break
    const bound: Cost | null = found === null ? limit : search.computeCost(found)
    found = best(search, { open: [child, ...rest], chosen, limit: bound }) ?? found
  }
  return found
}

function findBestOfEach(
  search: Search,
  groups: readonly (readonly Checker[])[],
  { chosen, limit }: Omit<Task, 'open'>,
): readonly Need[] | null {
  const all = [...chosen]
  for (const open of groups) {
    const more = best(search, { open, chosen, limit })
    if (more === null) return null
    all.push(...more.slice(chosen.length))
  }
  return isWithin(search.computeCost(all), limit) ? all : null
}

function isWithin(cost: Cost, limit: Cost | null): boolean {
  return limit === null || isCheaper(cost, limit)
}

function isCheaper(a: Cost, b: Cost): boolean {
  return a.obstacles < b.obstacles || (a.obstacles === b.obstacles && a.steps < b.steps)
}

function settle(
  open: readonly Checker[],
  chosen: readonly Need[],
  computeNeeds: Needs,
): { readonly needs: readonly Need[]; readonly choices: readonly CompositeChecker[] } {
  const needs = [...chosen]
  const choices: CompositeChecker[] = []
  const take = (checker: Checker): void => {
    if (checker.kind === 'leaf') needs.push(computeNeeds(checker))
    else if (checker.allMustPass) checker.children.forEach(take)
    else if (!isFree(checker, computeNeeds)) choices.push(checker)
  }
  open.forEach(take)
  return { needs, choices }
}

/** True if the checker passes now and after any step, so that relying on it costs nothing. */
function isFree(checker: Checker, computeNeeds: Needs): boolean {
  if (checker.kind === 'leaf') {
    const { steps, withModel, run } = computeNeeds(checker)
    return steps.length === 0 && withModel === null && run === null
  }
  const { children, allMustPass } = checker
  if (children.length === 0) return true
  const childIsFree = (child: Checker): boolean => isFree(child, computeNeeds)
  return allMustPass ? children.every(childIsFree) : children.some(childIsFree)
}

/** All runs share the key `run`, because each run may require others. */
function groupChoices(
  choices: readonly CompositeChecker[],
  computeNeeds: Needs,
): readonly (readonly CompositeChecker[])[] {
  let groups: { readonly keys: ReadonlySet<string>; readonly members: CompositeChecker[] }[] = []
  for (const choice of choices) {
    const keys = keysBelow(choice, computeNeeds)
    const related = groups.filter((group) => [...keys].some((key) => group.keys.has(key)))
    const merged = {
      keys: new Set([...keys, ...related.flatMap((group) => [...group.keys])]),
      members: [...related.flatMap(({ members }) => members), choice],
    }
    groups = [...groups.filter((group) => !related.includes(group)), merged]
  }
  return groups.map(({ members }) => members)
}

function keysBelow(checker: Checker, computeNeeds: Needs): ReadonlySet<string> {
  if (checker.kind === 'composite') {
    return new Set(checker.children.flatMap((child) => [...keysBelow(child, computeNeeds)]))
  }
  const { steps, withModel, run } = computeNeeds(checker)
  return new Set([
    ...steps.map(({ key }) => key),
    ...(withModel === null ? [] : [JUDGE_MODEL, withModel.key]),
    ...(run === null ? [] : ['run']),
  ])
}
