// Each message names its basis; without data there is no advice.
import type { ConfigDocument, Problem } from '@signalbox/core'
import { plural, timesText } from '@signalbox/core/analysis'
import {
  listCheckerPlaces,
  listRulePlaces,
  listToolPlaces,
  nearestName,
} from '@signalbox/core/lint'
import { parseConfigText } from '@signalbox/wire'
import type { RuleActivity } from '@/server/configs/rule-activity.ts'

/** With fewer sessions, nothing can be concluded about a rule for a rare event. */
const FEWEST_SESSIONS = 20
/** With fewer sessions, a tool that none of them called may still be called. */
const FEWEST_SESSIONS_OF_TOOL = 5

export function dataAdvice(document: ConfigDocument, activity: RuleActivity): readonly Problem[] {
  const plans = unseenPlans(document, activity)
  if (activity.sessions === 0) return plans
  return [...unseenTools(document, activity), ...neverFired(document, activity), ...plans]
}

function warning(pointer: string, code: string, message: string): Problem {
  return { pointer, code, severity: 'warning', message }
}

function unseenTools(document: ConfigDocument, { tools, ...basis }: RuleActivity): Problem[] {
  const places = listToolPlaces(document)
  const named = new Set(places.map(({ item }) => item))
  const listed = new Set(places.map(({ item, pointer }) => `${findList(pointer)} ${item}`))
  const seen = new Set(tools)
  const unseen = places.filter(({ item }) => !seen.has(item))
  return unseen.flatMap(({ item: tool, pointer }) => {
    const meant = nearestName(tool, tools)
    if (meant === null) return describeUnpassable(tool, pointer, basis)
    // A list that has both names has two tools, one of which is not called yet.
    if (named.has(meant) && isDeclared(pointer)) return []
    if (listed.has(`${findList(pointer)} ${meant}`)) return []
    const message = `No session called the tool "${tool}" (${describeBasis(basis)}). Agents called "${meant}"; did you mean that?`
    const problem = warning(pointer, 'unseen_tool', message)
    // The fix of a field's name is a rename, offered only if the new name is free.
    const isField = pointer.endsWith(`/dependencies/${tool}`)
    if (isField && named.has(meant)) return [problem]
    const fix = isField
      ? ({ kind: 'rename', pointer, name: meant } as const)
      : ({ kind: 'set', pointer, value: meant } as const)
    return [{ ...problem, fix }]
  })
}

/** Empty where no check needs the tool, or where too few sessions ran. */
function describeUnpassable(
  tool: string,
  pointer: string,
  basis: Pick<RuleActivity, 'sessions' | 'days'>,
): Problem[] {
  if (!pointer.startsWith('/task_completion_checker/')) return []
  if (basis.sessions < FEWEST_SESSIONS_OF_TOOL) return []
  const message = `No session called the tool "${tool}" yet (${describeBasis(basis)}). An agent that does not have it cannot pass this check. Remove the check, or name a tool that the agent has.`
  return [warning(pointer, 'unseen_tool', message)]
}

/** Pointer of the list or the object that holds the name. */
const findList = (pointer: string): string => pointer.slice(0, pointer.lastIndexOf('/'))

function isDeclared(pointer: string): boolean {
  return /^\/sections\/.*\/tools\/\d+$/.test(pointer) && !pointer.includes('/policies/')
}

function neverFired(document: ConfigDocument, activity: RuleActivity): Problem[] {
  const { sessions, rules, settled } = activity
  if (sessions < FEWEST_SESSIONS) return []
  return listRulePlaces(document).flatMap(({ id, pointer }) => {
    if (rules[id] !== undefined || !settled.includes(id)) return []
    const message = `The rule "${id}" never fired (${describeBasis(activity)}). If nothing it guards against can happen, remove it.`
    return [warning(pointer, 'never_fired', message)]
  })
}

/** Without a plan, a plan check has nothing to check and lets every stop pass. */
function unseenPlans(document: ConfigDocument, { plans }: RuleActivity): Problem[] {
  const { sessions, planned } = plans
  if (sessions === 0 || planned > 0) return []
  const basis = sessions === 1 ? 'last session' : `last ${plural(sessions, 'session')}`
  return listCheckerPlaces(document, 'plan').map(({ id, pointer }) => {
    const message = `The prompt had no plan in its ${basis}, so the check "${id}" would have nothing to check. Have the agent write a plan, or check something else.`
    return warning(pointer, 'unseen_plan', message)
  })
}

function describeBasis({ sessions, days }: Pick<RuleActivity, 'sessions' | 'days'>): string {
  return `${plural(sessions, 'session')} in ${plural(days, 'day')}`
}

/** Ids of the rules that are on in a version; `text`: its JSON. */
export function listRuleIds(text: string): readonly string[] {
  const parsed = parseConfigText(text)
  return parsed.ok ? listRulePlaces(parsed.document).map(({ id }) => id) : []
}

/** `released`: ids of the rules in the live versions. Null: no sessions, or too newly released for a statement. */
export function firedSentence(
  activity: RuleActivity,
  id: string,
  released: ReadonlySet<string>,
): string | null {
  if (activity.sessions === 0) return null
  const { count = 0 } = activity.rules[id] ?? {}
  if (count > 0) return `Fired ${timesText(count)} in ${plural(activity.days, 'day')}`
  if (!released.has(id)) return 'Not released yet'
  return activity.settled.includes(id) ? `Never fired (${describeBasis(activity)})` : null
}
