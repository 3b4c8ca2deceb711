// How often rules fired and tools were called, per prompt and UTC day of the event. Only newly stored events are counted, and none of an
// imported session. Pure.
import type { CheckResult, SessionEvent } from '@signalbox/core'
import { isImportedSession } from '@signalbox/wire'
import { storableText } from '@/server/platform/sql/storable-text.ts'
import type { ActivityRow } from './activity-rows.sql.ts'
import type { IncomingEvent } from './incoming.ts'

type Fact = Pick<ActivityRow, 'kind' | 'name'>

interface Place {
  readonly environment: string
  readonly ns: string
  readonly key: string
}

/** A rule fires when it changes what happens, or would in shadow mode: it denies, asks, speaks, or holds a stop. */
function factsOf(event: SessionEvent): readonly Fact[] {
  switch (event.type) {
    case 'session.started':
      return [{ kind: 'session', name: '' }]
    case 'tool.decided': {
      const { tool, rules } = event.data
      const fired = rules.filter(({ result }) => result !== 'allow')
      return [{ kind: 'tool', name: tool }, ...rulesNamed(fired.map(({ rule }) => rule))]
    }
    case 'approval.requested':
      return rulesNamed(event.data.rules)
    case 'feedback.delivered':
      return rulesNamed([event.data.provider])
    case 'stop.decided':
      return rulesNamed(heldBy(event.data.check))
    default:
      return []
  }
}

function rulesNamed(names: readonly string[]): readonly Fact[] {
  return [...new Set(names)].map((name) => ({ kind: 'rule', name }))
}

function heldBy(check: CheckResult | null): readonly string[] {
  if (check === null) return []
  const below = (check.children ?? []).flatMap(heldBy)
  const { status, checker } = check
  return status === 'incomplete' || status === 'error' ? [checker, ...below] : below
}

/** An id or tool name of a config is far shorter; what is longer is none. */
const LONGEST_NAME = 200

const DAY_MS = 86_400_000

/** `YYYY-MM-DD` of instants. Kept for each day: to write it costs more than to count an event. */
function dayWriter(): (at: number) => string {
  const written = new Map<number, string>()
  return (at) => {
    const day = Math.floor(at / DAY_MS)
    const text = written.get(day) ?? new Date(day * DAY_MS).toISOString().slice(0, 10)
    written.set(day, text)
    return text
  }
}

/** `place`: of the session that all the events belong to. */
export function countByDay(
  { environment, ns, key }: Place,
  events: Iterable<IncomingEvent>,
): readonly ActivityRow[] {
  const rows = new Map<string, ActivityRow>()
  const dayOf = dayWriter()
  for (const { event } of events) {
    if (isImportedSession(event.session)) continue
    const day = dayOf(event.at)
    for (const fact of factsOf(event)) {
      if (fact.name.length > LONGEST_NAME) continue
      const name = storableText(fact.name)
      const id = [day, fact.kind, name].join('\n')
      const { count = 0, lastAt = event.at } = rows.get(id) ?? {}
      rows.set(id, {
        ...{ environment, ns, key, day, kind: fact.kind, name },
        count: count + 1,
        lastAt: Math.max(lastAt, event.at),
      })
    }
  }
  return [...rows.values()]
}
