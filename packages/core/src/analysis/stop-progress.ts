import { plural } from '../model/count-text.ts'
import type { CheckResult, StopDecision } from '../model/effect.ts'
import type { JsonValue } from '../model/json.ts'
import { wouldBlock } from './base/stop-sentences.ts'

export interface AttemptFacts {
  readonly decision: StopDecision
  /** Number of blocks after which a stop is allowed: the lower of the config's and the harness's limit; null: not known. */
  readonly limit: number | null
  readonly openCalls: number
  readonly successes: number
}

export interface StopProgress {
  /**
   * `overridden`: allowed although incomplete. `cap_near`: this block, or the next one, is the last. `waiting`: calls were still
   * running. `livelock`: the same checks had the same open items, and no call succeeded in between. `progressing`: refused, but something
   * changed, or refused for the first time.
   */
  readonly state: 'progressing' | 'livelock' | 'waiting' | 'cap_near' | 'overridden'
  /** Number of consecutive attempts without a change in between, including this one; at least 1. */
  readonly repeats: number
  /** Number of further blocks before a stop is allowed; null: not known. */
  readonly blocksLeft: number | null
}

const NEAR = 1

export function openItems({ code, params, checker }: CheckResult): readonly string[] {
  switch (code) {
    case 'plan.open_steps':
      return items(params['steps']).flatMap((step) => openTitle(step) ?? [])
    case 'files.missing':
    case 'files.unknown':
      return [...items(params['missing']), ...items(params['unknown'])].map(String)
    default:
      return [checker]
  }
}

function items(value: JsonValue | undefined): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function openTitle(step: unknown): string | null {
  if (typeof step !== 'object' || step === null || !('title' in step)) return null
  return 'status' in step && step.status === 'done' ? null : String(step.title)
}

export function openChecks(check: CheckResult): readonly CheckResult[] {
  if (check.children !== undefined) return check.children.flatMap(openChecks)
  return check.status === 'incomplete' || check.status === 'error' ? [check] : []
}

function toRefusalKey({ check }: StopDecision): string {
  const open = check === null ? [] : openChecks(check)
  return JSON.stringify(open.map(({ checker, code, params }) => [checker, code, params]))
}

function isRefused({ verdict }: StopDecision): boolean {
  return verdict === 'blocked' || verdict === 'error'
}

function countRepeats(attempts: readonly AttemptFacts[]): number {
  let repeats = 1
  for (let at = attempts.length - 1; at > 0; at--) {
    const [now, before] = [attempts[at], attempts[at - 1]]
    if (now === undefined || before === undefined || !isRefused(before.decision)) break
    if (now.successes > 0 || toRefusalKey(now.decision) !== toRefusalKey(before.decision)) break
    repeats += 1
  }
  return repeats
}

/** Progress at the last of `attempts`, which must be in order; null: it was neither refused nor allowed as incomplete, or its checks could not be evaluated. */
export function stopProgress(attempts: readonly AttemptFacts[]): StopProgress | null {
  const last = attempts.at(-1)
  if (last === undefined) return null
  const { decision, limit, openCalls } = last
  if (wouldBlock(decision)) return null
  const repeats = countRepeats(attempts)
  if (decision.bypass === 'max_blocks') return { state: 'overridden', repeats, blocksLeft: 0 }
  if (!isRefused(decision)) return null
  const blocksLeft = limit === null ? null : Math.max(0, limit - decision.prior_blocks - 1)
  const counts = { repeats, blocksLeft }
  if (blocksLeft !== null && blocksLeft <= NEAR) return { state: 'cap_near', ...counts }
  if (openCalls > 0) return { state: 'waiting', ...counts }
  if (repeats > 1) return { state: 'livelock', ...counts }
  return decision.verdict === 'error' ? null : { state: 'progressing', ...counts }
}

/** Without a period. `attempt`: number of the attempt in its session, from 1. */
export function progressSentence(
  { state, repeats, blocksLeft }: StopProgress,
  attempt: number,
): string {
  const unchanged = repeats > 1 ? `nothing changed in the last ${plural(repeats, 'attempt')}` : null
  switch (state) {
    case 'overridden':
      return 'Allowed although incomplete: the limit on blocked stops was reached'
    case 'cap_near':
      return [
        blocksLeft === 0
          ? 'The next stop is allowed even if checks fail'
          : `After ${plural(blocksLeft ?? 0, 'more blocked stop')}, the next one is allowed`,
        ...(unchanged === null ? [] : [unchanged]),
      ].join('; ')
    case 'waiting':
      return 'Calls were still running when the agent tried to stop'
    case 'livelock':
      return `The same checks report the same open items, and ${unchanged ?? 'nothing changed'}`
    case 'progressing':
      return attempt === 1
        ? 'First attempt in this session'
        : 'Something changed since the previous attempt'
    default:
      return state satisfies never
  }
}
