import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import type { Tx } from '@/server/platform/db/transaction.ts'
import { type AuthorizedProjectId, freshId } from '@/server/platform/ids.ts'
import { type AlertCounts, countOpenAlerts } from './alert-list.sql.ts'
import { countFirings, insertRule, listRules } from './alerts.sql.ts'
import { destinationId, shownPlace } from './destinations.ts'
import { keepResults } from './keep-results.ts'
import { loadLastMessages } from './last-messages.sql.ts'
import { RECOMMENDED_RULES, type RecommendedRule } from './recommended-rules.kinds.ts'
import { type Preview, previewRule } from './rules.ts'

const ANYWHERE = { environment: null, ns: null, key: null, runtime: null, code: null } as const

function toConditions({ signal, windowMinutes, threshold }: RecommendedRule) {
  return { ...ANYWHERE, signal, windowMinutes, threshold }
}

/** Those that are on at install. `userId`: the first admin. */
export async function insertRecommendedRules(
  tx: Tx,
  projectId: AuthorizedProjectId,
  userId: string,
): Promise<void> {
  for (const rule of RECOMMENDED_RULES) {
    if (!rule.isOnAtInstall) continue
    const { name } = rule
    const state = { name, enabled: true, mutedUntil: null, destinations: [] }
    const row = { ...toConditions(rule), ...state, id: freshId('alrule'), projectId }
    await insertRule(tx, row, userId)
  }
}

export interface RecommendedState {
  readonly name: string
  /** The project's own rule about the signal, anywhere; null: there is none. */
  readonly ruleId: string | null
  readonly isOn: boolean
  /** In the last seven days: alerts of the rule if it is on, or else how often it would have fired, up to ten minutes ago; null: its signal has no history. */
  readonly fired: number | null
}

const WEEK_MS = 7 * 86_400_000

const keepFired = keepResults<Preview['fired']>()

async function countWouldHaveFired(
  scope: ProjectScope,
  {
    signal,
    windowMinutes,
    threshold,
  }: Pick<RecommendedRule, 'signal' | 'windowMinutes' | 'threshold'>,
): Promise<Preview['fired']> {
  const name = JSON.stringify([scope.projectId, signal, windowMinutes, threshold])
  const conditions = { ...ANYWHERE, signal, windowMinutes, threshold }
  return await keepFired(name, async () => (await previewRule(scope, conditions)).fired)
}

export async function loadRecommended(scope: ProjectScope): Promise<readonly RecommendedState[]> {
  const { projectId } = scope
  const [rules, firings] = await Promise.all([
    listRules(projectId),
    countFirings(projectId, Date.now() - WEEK_MS),
  ])
  return await Promise.all(
    RECOMMENDED_RULES.map(async (recommended) => {
      const { name, signal } = recommended
      const matching = rules.filter(
        (rule) =>
          rule.signal === signal &&
          [rule.environment, rule.ns, rule.runtime, rule.code].every((part) => part === null),
      )
      const own = matching.find(({ enabled }) => enabled) ?? matching[0]
      const isOn = own?.enabled === true
      const fired = isOn
        ? (firings.get(own.id) ?? 0)
        : await countWouldHaveFired(scope, own ?? recommended)
      return { name, ruleId: own?.id ?? null, isOn, fired }
    }),
  )
}

export interface AlertSummary extends AlertCounts {
  /** Host or address of each destination of the rules that are on, each once. */
  readonly sentTo: readonly string[]
  /** Rules that are on, and those of them that have a destination. */
  readonly active: number
  readonly notifying: number
  /** The newest message to one of these destinations did not arrive. */
  readonly hasLastFailed: boolean
  readonly rules: number
  /** Destinations of all rules, also of those that are off. */
  readonly destinations: number
}

export async function loadAlertSummary({ projectId }: ProjectScope): Promise<AlertSummary> {
  const [rules, counts, messages] = await Promise.all([
    listRules(projectId),
    countOpenAlerts(projectId),
    loadLastMessages(projectId),
  ])
  const active = rules.filter(({ enabled }) => enabled)
  const places = active.flatMap(({ destinations }) => destinations)
  const used = new Set(places.map(destinationId))
  const [last] = messages
    .filter(({ kind, url }) => used.has(destinationId({ kind, url })))
    .toSorted((one, other) => other.at - one.at)
  return {
    ...counts,
    sentTo: [...new Set(places.map(shownPlace))],
    active: active.length,
    notifying: active.filter(({ destinations }) => destinations.length > 0).length,
    hasLastFailed: last !== undefined && last.deliveredAt === null && last.failedAt !== null,
    rules: rules.length,
    destinations: new Set(rules.flatMap(({ destinations }) => destinations.map(destinationId)))
      .size,
  }
}
