import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import type { AuthorizedProjectId } from '@/server/platform/ids.ts'
import { isWaitingSignal, readMoments, readWaits } from './alert-moments.sql.ts'
import { computePeaks, listParts, valueAt } from './episodes.ts'
import { byScope, limitToNow, readCondition } from './evaluate.ts'
import { keepResults } from './keep-results.ts'
import { type ListedRule, storedAlertRules } from './rules.ts'
import { alertSignal, hasThreshold } from './signals.kinds.ts'

const WEEK_MS = 7 * 86_400_000
/** Number of parts of a week, six hours each. */
const PARTS = 28

export interface RuleValue {
  readonly id: string
  /**
   * Highest value of a scope now; for a signal without threshold, the number of runtimes or calls. Null: a share or a multiple with
   * nothing to compute it from.
   */
  readonly value: number | null
  /** Highest value in each six hours of the last seven days, up to ten minutes old, oldest first; null: this signal has no history. */
  readonly history: readonly number[] | null
}

/** Also of rules that are off. */
export async function loadRuleValues(scope: ProjectScope): Promise<readonly RuleValue[]> {
  const { projectId } = scope
  return await Promise.all(
    (await storedAlertRules(scope)).map(async (rule) => ({
      id: rule.id,
      value: await readValue(projectId, rule),
      history: await keepHistory(nameConditions(projectId, rule), () =>
        readHistory(projectId, rule),
      ),
    })),
  )
}

function nameConditions(projectId: AuthorizedProjectId, rule: ListedRule): string {
  const { signal, environment, ns, key, runtime, code, windowMinutes } = rule
  return JSON.stringify([projectId, signal, environment, ns, key, runtime, code, windowMinutes])
}

const keepHistory = keepResults<RuleValue['history']>()

async function readValue(
  projectId: AuthorizedProjectId,
  rule: ListedRule,
): Promise<RuleValue['value']> {
  const now = Date.now()
  const condition = readCondition(rule)
  const { windowMs } = condition
  const read = await readMoments(projectId, rule.signal, { ...rule, since: now - windowMs })
  const { measure } = alertSignal(rule.signal)
  if (!hasThreshold(rule.signal)) return read.length
  const values = [...byScope(limitToNow(read, now)).values()].map((of) =>
    valueAt(of, condition, now),
  )
  if (values.length === 0 && measure !== 'count') return null
  return Math.max(0, ...values)
}

async function readHistory(
  projectId: AuthorizedProjectId,
  rule: ListedRule,
): Promise<RuleValue['history']> {
  const { signal } = rule
  if (alertSignal(signal).measure === 'standing') return null
  const now = Date.now()
  const range = { from: now - WEEK_MS, until: now, parts: PARTS }
  if (isWaitingSignal(signal)) {
    const waits = await readWaits(projectId, signal, { ...rule, since: range.from })
    const counts = Array.from({ length: PARTS }, () => 0)
    for (const { from, until } of waits) {
      for (const part of listParts(range, { from, until: until ?? now }))
        counts[part] = (counts[part] ?? 0) + 1
    }
    return counts
  }
  const condition = readCondition(rule)
  const moments = await readMoments(projectId, signal, {
    ...rule,
    since: range.from - condition.windowMs,
  })
  const ofScopes = [...byScope(limitToNow(moments, now)).values()].map((of) =>
    computePeaks(of, condition, range),
  )
  return Array.from({ length: PARTS }, (_, part) =>
    Math.max(0, ...ofScopes.map((peaks) => peaks[part] ?? 0)),
  )
}
