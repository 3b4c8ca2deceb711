import type { CheckResult } from '../../model/effect.ts'
import type { StopAttempted } from '../../model/event.ts'
import type { WorkLeft } from '../../model/expression-engine.ts'
import type { SessionState } from '../../model/state.ts'

export interface CheckContext {
  readonly state: SessionState
  readonly stop: StopAttempted
}

export interface RunContext extends CheckContext {
  readonly left: WorkLeft
}

export type CheckOutcome = Pick<CheckResult, 'status' | 'code' | 'params' | 'feedback' | 'because'>

export interface LeafChecker {
  readonly kind: 'leaf'
  readonly id: string
  readonly pointer: string
  readonly type: string
  readonly files: readonly string[]
  /** True: code outside core or a model answers, and `check` reads the answer from the facts. */
  readonly external: boolean
  /** Criteria by which a model judges the work; null: no model is asked. */
  readonly criteria: string | null
  check(context: RunContext): CheckOutcome
}

export interface CompositeChecker {
  readonly kind: 'composite'
  readonly id: string
  readonly pointer: string
  readonly type: 'composite'
  readonly allMustPass: boolean
  readonly children: readonly Checker[]
}

export type Checker = LeafChecker | CompositeChecker

/** Absent fields are empty. */
export function outcome(
  status: CheckOutcome['status'],
  code: string,
  {
    params = {},
    feedback = null,
    because = [],
  }: Partial<Pick<CheckOutcome, 'params' | 'feedback' | 'because'>>,
): CheckOutcome {
  return { status, code, params, feedback, because }
}

/** By default, needs no files and no answers from outside. */
export function leafChecker(
  { id, type }: { readonly id: string; readonly type: string },
  pointer: string,
  parts: Pick<LeafChecker, 'check'> & Partial<LeafChecker>,
): LeafChecker {
  return { kind: 'leaf', id, pointer, type, files: [], external: false, criteria: null, ...parts }
}

export function replaceLeaves(
  checker: Checker,
  replace: (leaf: LeafChecker) => LeafChecker,
): Checker {
  if (checker.kind === 'leaf') return replace(checker)
  return { ...checker, children: checker.children.map((child) => replaceLeaves(child, replace)) }
}

export function listLeaves(checker: Checker): readonly LeafChecker[] {
  return checker.kind === 'leaf' ? [checker] : checker.children.flatMap(listLeaves)
}

export function isComplete(result: Pick<CheckResult, 'status'>): boolean {
  return result.status === 'passed' || result.status === 'nothing_to_check'
}

export const MOST_TITLES = 3

export function joinTitles(titles: readonly string[]): string {
  return titles.slice(0, MOST_TITLES).join(', ') + (titles.length > MOST_TITLES ? '...' : '')
}
