// What the stored sessions say of a config's rules: how often each fired, which tools were called, and on how many sessions
// that rests. The editor's advice and the config page show the same numbers.
import { placesOfRules } from '@signalbox/core/lint'
import { parseConfigText } from '@signalbox/wire'
import type { ConfigReader } from '../auth/scope.ts'
import type { PromptName } from '../repositories/configs.ts'
import { listSettledTexts, sumActivity } from '../repositories/rule-activity.ts'
import { requireConfig } from './configs.ts'

const DAY_MS = 86_400_000
const ACTIVITY_DAYS = 7

export interface Fired {
  readonly count: number
  /** Epoch ms. */
  readonly lastAt: number
}

export interface RuleActivity {
  /** Today and the six UTC days before it. */
  readonly days: number
  /** Sessions of the prompt that began in these days. Zero: nothing can be said. */
  readonly sessions: number
  /** By rule id; a rule that is not there did not fire. */
  readonly rules: { readonly [id: string]: Fired }
  /** Canonical names of the tools that were called, allowed or not. */
  readonly tools: readonly string[]
  /** Ids of rules that some environment had in force on all of these days. */
  readonly settled: readonly string[]
}

export async function ruleActivity(
  scope: ConfigReader,
  input: PromptName & { readonly environment?: string | undefined },
  now: number = Date.now(),
): Promise<RuleActivity> {
  const { id, ns, key } = await requireConfig(scope, input)
  const { projectId } = scope
  const start = now - (ACTIVITY_DAYS - 1) * DAY_MS
  const since = new Date(start).toISOString().slice(0, 10)
  const [sums, texts] = await Promise.all([
    sumActivity({ projectId, ns, key, since, environment: input.environment }),
    listSettledTexts(id, Date.parse(since)),
  ])
  const rules = sums.filter(({ kind }) => kind === 'rule')
  return {
    days: ACTIVITY_DAYS,
    sessions: sums.find(({ kind }) => kind === 'session')?.count ?? 0,
    rules: Object.fromEntries(rules.map(({ name, count, lastAt }) => [name, { count, lastAt }])),
    tools: sums.flatMap(({ kind, name }) => (kind === 'tool' ? [name] : [])),
    settled: [...new Set(texts.flatMap(rulesIn))],
  }
}

/** Those that are enforced or in shadow mode: one that is off cannot fire. */
function rulesIn(text: string): readonly string[] {
  const parsed = parseConfigText(text)
  return parsed.ok ? placesOfRules(parsed.document).map(({ id }) => id) : []
}
