// Interface of every checker type, and the tree that they form. A checker sees the session's state and the recorded facts.
import type { CheckResult } from '../../model/effect.ts'
import type { StopAttempted } from '../../model/event.ts'
import type { WorkLeft } from '../../model/expression-engine.ts'
import type { SessionState } from '../../model/state.ts'

export interface CheckContext {
  /** Before the attempt. */
  readonly state: SessionState
  readonly stop: StopAttempted
}

export interface RunContext extends CheckContext {
  /** Work left for the conditions of the whole tree. */
  readonly left: WorkLeft
}

export type CheckOutcome = Pick<CheckResult, 'status' | 'code' | 'params' | 'feedback' | 'because'>

export interface LeafChecker {
  readonly kind: 'leaf'
  readonly id: string
  readonly pointer: string
  readonly type: string
  /** Paths in normal form whose existence the checker needs. */
  readonly files: readonly string[]
  /** True: code outside core, or a model, answers, and `check` reads the answer from the facts. */
  readonly external: boolean
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

/** Builds an outcome; absent fields are empty. */
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

/** A checker that needs no files and no answers, unless given. */
export function leafChecker(
  { id, type }: { readonly id: string; readonly type: string },
  pointer: string,
  { check, files = [], external = false }: Pick<LeafChecker, 'check'> & Partial<LeafChecker>,
): LeafChecker {
  return { kind: 'leaf', id, pointer, type, files, external, check }
}

/** Both a pass and an empty pass let the agent stop. */
export function isComplete(result: Pick<CheckResult, 'status'>): boolean {
  return result.status === 'passed' || result.status === 'nothing_to_check'
}

/** At most three titles, so that a long list does not drown the message. */
export function firstThree(titles: readonly string[]): string {
  return titles.slice(0, 3).join(', ') + (titles.length > 3 ? '...' : '')
}
