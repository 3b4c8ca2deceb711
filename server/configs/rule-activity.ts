// The editor's advice and the config page show the same numbers.
import { listRulePlaces } from '@signalbox/core/lint'
import { parseConfigText } from '@signalbox/wire'
import type { ConfigReader } from '@/server/platform/auth/scope.ts'
import type { PromptName } from './configs.sql.ts'
import { requireConfig } from './configs.ts'
import {
  type ActivitySum,
  countPlans,
  listSettledTexts,
  type SeenPlans,
  sumActivity,
} from './rule-activity.sql.ts'

const DAY_MS = 86_400_000
const ACTIVITY_DAYS = 7

export interface Fired {
  readonly count: number
  readonly lastAt: number
}

export interface RuleActivity {
  /** Number of days, ending today (UTC). */
  readonly days: number
  /** Number of the prompt's sessions that began in these days. 0: nothing can be concluded. */
  readonly sessions: number
  /** By rule id; a missing rule did not fire. */
  readonly rules: { readonly [id: string]: Fired }
  readonly tools: readonly string[]
  /** Ids of rules that were live in some environment on all of these days. */
  readonly settled: readonly string[]
  readonly plans: SeenPlans
}

function firstDay(now: number): string {
  return new Date(now - (ACTIVITY_DAYS - 1) * DAY_MS).toISOString().slice(0, 10)
}

/** Accepts a prompt without a config. */
export async function activitySince(
  { projectId }: ConfigReader,
  { ns, key, environment }: PromptName & { readonly environment?: string | undefined },
  now: number,
): Promise<{ readonly days: number; readonly sums: readonly ActivitySum[] }> {
  const since = firstDay(now)
  const sums = await sumActivity({ projectId, ns, key, since, environment })
  return { days: ACTIVITY_DAYS, sums }
}

export async function ruleActivity(
  scope: ConfigReader,
  input: PromptName & { readonly environment?: string | undefined },
  now: number = Date.now(),
): Promise<RuleActivity> {
  const { id } = await requireConfig(scope, input)
  const [{ sums }, texts, plans] = await Promise.all([
    activitySince(scope, input, now),
    listSettledTexts(id, Date.parse(firstDay(now))),
    countPlans({ projectId: scope.projectId, ns: input.ns, key: input.key }),
  ])
  const rules = sums.filter(({ kind }) => kind === 'rule')
  return {
    days: ACTIVITY_DAYS,
    sessions: sums.find(({ kind }) => kind === 'session')?.count ?? 0,
    rules: Object.fromEntries(rules.map(({ name, count, lastAt }) => [name, { count, lastAt }])),
    tools: sums.flatMap(({ kind, name }) => (kind === 'tool' ? [name] : [])),
    settled: [...new Set(texts.flatMap(rulesIn))],
    plans,
  }
}

/** Rules in enforce or shadow mode; a rule that is off cannot fire. */
function rulesIn(text: string): readonly string[] {
  const parsed = parseConfigText(text)
  return parsed.ok ? listRulePlaces(parsed.document).map(({ id }) => id) : []
}
