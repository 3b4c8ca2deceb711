import type { CompiledConfig } from '../../engine/compile.ts'
import type { ConfigDocument } from '../../kinds/config.ts'
import { withoutRule, withRuleMode } from '../../kinds/edit-document.ts'
import { compileChecked } from '../../lint/compile-checked.ts'
import type { SessionEvent } from '../../model/event.ts'
import type { Facts } from '../../model/fact.ts'
import type { Problem } from '../../model/problem.ts'
import { type FindConfig, type RanUnder, toSessionVersions } from '../../tighten/governing.ts'
import type { Change } from './change.ts'

export interface Played {
  readonly ranUnder: RanUnder
  readonly events: readonly SessionEvent[]
}

export type Changed =
  | { readonly ok: true; readonly played: Played }
  | { readonly ok: false; readonly problems: readonly Problem[] }

/** Events keep their sequence numbers, so that decisions can be compared. Inserted events get fractions between two numbers. */
export function applyChange(played: Played, change: Change): Changed {
  switch (change.kind) {
    case 'rule_mode':
      return recompiled(played, (document) => withRuleMode(document, change))
    case 'without_rule':
      return recompiled(played, (document) => withoutRule(document, change.rule))
    default:
      return { ok: true, played: { ...played, events: changedEvents(played.events, change) } }
  }
}

export function applyChanges(played: Played, changes: readonly Change[]): Changed {
  let changed: Changed = { ok: true, played }
  for (const change of changes) if (changed.ok) changed = applyChange(changed.played, change)
  return changed
}

type Edit = (document: ConfigDocument) => ConfigDocument

/** A version that does not compile after the edit counts as unknown. */
function recompiled({ ranUnder, events }: Played, edit: Edit): Changed {
  const { began, find } = toSessionVersions(ranUnder)
  const result = compileChecked(edit(began.document), began.options)
  if (!result.ok) return { ok: false, problems: result.problems }
  const versions = new Map<string, CompiledConfig | null>()
  const findEdited: FindConfig = (digest) => {
    const known = versions.get(digest)
    if (known !== undefined) return known
    const found = find(digest)
    const edited = found === null ? null : compileChecked(edit(found.document), found.options)
    const version = edited?.ok === true ? edited.config : null
    versions.set(digest, version)
    return version
  }
  return { ok: true, played: { ranUnder: { began: result.config, find: findEdited }, events } }
}

type EventChange = Exclude<Change, { readonly kind: 'rule_mode' | 'without_rule' }>

function changedEvents(
  events: readonly SessionEvent[],
  change: EventChange,
): readonly SessionEvent[] {
  switch (change.kind) {
    case 'without_event':
      return events.filter(({ seq }) => seq !== change.seq)
    case 'with_facts':
      return events.map((event) =>
        event.seq === change.seq ? withFacts(event, change.facts) : event,
      )
    case 'with_outcome':
      return events.map((event) =>
        event.seq === change.seq && event.type === 'tool.invoked'
          ? { ...event, data: { ...event.data, outcome: change.outcome } }
          : event,
      )
    case 'with_answer':
      return events.map((event) =>
        event.seq === change.seq && event.type === 'approval.decided'
          ? { ...event, data: { ...event.data, decision: change.decision } }
          : event,
      )
    case 'delayed':
      return delayed(events, change)
    case 'inserted':
      return events.flatMap((event) =>
        event.seq === change.before ? [...between(events, event, change.events), event] : [event],
      )
    default:
      return change satisfies never
  }
}

function withFacts(event: SessionEvent, facts: Facts): SessionEvent {
  switch (event.type) {
    case 'tool.requested':
      return { ...event, data: { ...event.data, facts: merged(event.data.facts, facts) } }
    case 'tool.invoked':
      return { ...event, data: { ...event.data, facts: merged(event.data.facts, facts) } }
    case 'stop.attempted':
      return { ...event, data: { ...event.data, facts: merged(event.data.facts, facts) } }
    default:
      return event
  }
}

function merged(known: Facts | undefined, { files, answers }: Facts): Facts {
  return {
    ...known,
    ...(files === undefined ? {} : { files: { ...known?.files, ...files } }),
    ...(answers === undefined ? {} : { answers: { ...known?.answers, ...answers } }),
  }
}

function delayed(
  events: readonly SessionEvent[],
  { seq, seconds }: Extract<Change, { readonly kind: 'delayed' }>,
): readonly SessionEvent[] {
  const at = (events.find((event) => event.seq === seq)?.at ?? 0) + seconds * 1000
  return events.map((event) => (event.seq >= seq && event.at < at ? { ...event, at } : event))
}

function between(
  events: readonly SessionEvent[],
  next: SessionEvent,
  bodies: Extract<Change, { readonly kind: 'inserted' }>['events'],
): readonly SessionEvent[] {
  const before = events.findLast(({ seq }) => seq < next.seq)?.seq ?? 0
  const gap = (next.seq - before) / (bodies.length + 1)
  const { session, at } = next
  return bodies.map((body, i) => ({ session, at, seq: before + gap * (i + 1), ...body }))
}
