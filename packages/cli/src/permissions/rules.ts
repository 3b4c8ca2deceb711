// Builds the rules of an imported config. Equal restrictions share one rule; where a config could not hold a rule for each, rules with the
// same tools share their conditions.
import type { ConfigDocument, PolicyDocument } from '@signalbox/core'
import type { Converted, ReportLine, Restriction } from './report.ts'

/** Rules that a config can hold, with room for rules that users add. */
const MOST_SINGLE_RULES = 400
/** Conditions of one rule, far below the limits of an expression. */
const MOST_CONDITIONS = 20
const MOST_CHARACTERS = 3_800

/** Seconds after which an unanswered call is denied. */
const APPROVAL_SECONDS = 300

export interface ImportedRules {
  readonly policies: readonly PolicyDocument[]
  readonly aliases: NonNullable<ConfigDocument['aliases']>
  readonly lines: readonly ReportLine[]
}

interface Group {
  readonly restrictions: Restriction[]
  readonly entries: string[]
}

function keyFor({ effect, tools, when }: Restriction): string {
  return JSON.stringify([effect, tools, when])
}

export function buildRules(converted: readonly Converted[]): ImportedRules {
  const groups = groupRestrictions(converted)
  const counts = { deny: 0, ask: 0 }
  const ids = new Map<string, string>()
  const policies = groups.map((group) => {
    const { effect } = group.restrictions[0] ?? { effect: 'deny' }
    const id = `${effect}-${++counts[effect]}`
    for (const restriction of group.restrictions) ids.set(keyFor(restriction), id)
    return toPolicy(id, group)
  })
  const lines = converted.map(({ restrictions, ...line }) => ({
    ...line,
    rules: [...new Set(restrictions.flatMap((one) => ids.get(keyFor(one)) ?? []))],
  }))
  const aliases = converted.flatMap(({ restrictions }) =>
    restrictions.flatMap((one) => Object.entries(one.aliases ?? {})),
  )
  return { policies, aliases: Object.fromEntries(aliases), lines }
}

function groupRestrictions(converted: readonly Converted[]): readonly Group[] {
  const single = new Map<string, Group>()
  for (const { entry, restrictions } of converted) {
    for (const restriction of restrictions) {
      const key = keyFor(restriction)
      const known = single.get(key)
      if (known === undefined) single.set(key, { restrictions: [restriction], entries: [entry] })
      else if (!known.entries.includes(entry)) known.entries.push(entry)
    }
  }
  if (single.size <= MOST_SINGLE_RULES) return [...single.values()]
  const open = new Map<string, Group>()
  return [...single.values()].flatMap((group) => {
    const [one] = group.restrictions
    if (one === undefined || one.when === null) return [group]
    const key = JSON.stringify([one.effect, one.tools])
    const before = open.get(key)
    if (before !== undefined && hasRoom(before, one.when)) {
      before.restrictions.push(one)
      before.entries.push(...group.entries)
      return []
    }
    open.set(key, group)
    return [group]
  })
}

function hasRoom({ restrictions }: Group, when: string): boolean {
  const length = restrictions.reduce((sum, one) => sum + (one.when ?? '').length + 4, when.length)
  return restrictions.length < MOST_CONDITIONS && length <= MOST_CHARACTERS
}

function toPolicy(id: string, { restrictions, entries }: Group): PolicyDocument {
  const { effect, tools } = restrictions[0] ?? { effect: 'deny', tools: 'every' }
  const when = restrictions.flatMap((one) => one.when ?? []).join(' || ')
  if (effect === 'ask' && tools !== 'every') {
    const condition = when === '' ? {} : { when }
    return { id, type: 'approval', tools, ...condition, timeout_seconds: APPROVAL_SECONDS }
  }
  const [first = ''] = entries
  const reason =
    entries.length === 1
      ? `Denied by the imported permission: ${first.slice(0, 300)}`
      : `Denied by one of ${entries.length} imported permissions, such as: ${first.slice(0, 300)}`
  const governed = tools === 'every' ? {} : { tools }
  return { id, type: 'expression', ...governed, deny_when: when === '' ? 'true' : when, reason }
}
