// Also proves that the fold resumes from the JSON snapshot of every prefix, that a second run gives the same bytes, and that every effect
// can be recorded as an event.
import {
  type CompiledConfig,
  type Effect,
  type ExpressionRules,
  initialState,
  type SessionEvent,
  type SessionState,
  step,
} from '@signalbox/core'
import {
  durationText,
  factsNeeded,
  normalizePath,
  renderFeedback,
  renderFeedbackPlain,
} from '@signalbox/core/host'
import { compileChecked } from '@signalbox/core/lint'
import { restoreState, snapshotState } from '@signalbox/core/snapshot'
import { findOwnPointer, findRuleOrigins, inheritConfig } from '@signalbox/core/tighten'
import { cohortPoint } from '@signalbox/wire'
import { completeConfig, completeEvents, recordingProblem } from './complete-vector.ts'
import { differences, exactDifferences } from './difference.ts'
import { readDeliveries } from './read-deliveries.ts'
import type { CompileVector, FoldVector, InheritVector, VectorFile } from './vector-file.ts'

export interface VectorCase {
  readonly id: string
  /** Deviations from the vector; empty: none. Throws when the vector itself cannot be parsed. */
  run(): readonly string[]
}

export function vectorCases(file: VectorFile, expressions: ExpressionRules): readonly VectorCase[] {
  switch (file.kind) {
    case 'fold':
      return file.vectors.map((vector) => ({
        id: vector.id,
        run: () => runFold(vector, expressions),
      }))
    case 'compile':
      return file.vectors.map((vector) => ({
        id: vector.id,
        run: () => runCompile(vector, expressions),
      }))
    case 'render':
      return file.vectors.map(({ id, deliveries, xml, plain }) => ({
        id,
        run: () => {
          const read = readDeliveries(deliveries)
          const actual = { xml: renderFeedback(read), plain: renderFeedbackPlain(read) }
          return differences({ xml, plain }, actual)
        },
      }))
    case 'duration':
      return file.vectors.map(({ id, semantics, seconds, text }) => ({
        id,
        run: () => differences(text, durationText(seconds, semantics)),
      }))
    case 'path':
      return file.vectors.map(({ id, path, workspace_root, mount_point, normal }) => ({
        id,
        run: () => {
          const context = { workspaceRoot: workspace_root, mountPoint: mount_point }
          return differences(normal, normalizePath(path, context))
        },
      }))
    case 'cohort':
      return file.vectors.map(({ id, salt, session, point }) => ({
        id,
        run: () => differences(point, cohortPoint(salt, session)),
      }))
    case 'inherit':
      return file.vectors.map((vector) => ({ id: vector.id, run: () => runInherit(vector) }))
    default:
      return file satisfies never
  }
}

function runInherit({ base, own, document: flat, origins, looser }: InheritVector) {
  const [before, written] = [completeConfig(base), completeConfig(own)]
  const inherited = inheritConfig(before, written)
  const { document } = inherited
  const notes = inherited.looser.map(({ pointer, message }) => ({
    pointer: findOwnPointer(written, document, pointer),
    message,
  }))
  const found = Object.fromEntries(findRuleOrigins(before, document))
  return [
    ...exactDifferences({ origins, looser }, { origins: found, looser: notes }),
    ...exactDifferences(completeConfig(flat), document),
  ]
}

function runCompile(vector: CompileVector, engine: ExpressionRules): readonly string[] {
  const result = compileChecked(completeConfig(vector.config), {
    customTypes: vector.custom_types,
    ...(vector.expressions ? { expressions: engine } : {}),
  })
  return differences(
    { refused: vector.refused, problems: vector.problems },
    { refused: !result.ok, problems: result.problems },
  )
}

interface Folded {
  readonly states: readonly SessionState[]
  readonly effects: readonly (readonly Effect[])[]
}

function runFold(vector: FoldVector, engine: ExpressionRules): readonly string[] {
  const compiled = compileChecked(completeConfig(vector.config), {
    customTypes: vector.custom_types,
    expressions: engine,
  })
  if (!compiled.ok) return compiled.problems.map(({ pointer, message }) => `${pointer} ${message}`)
  const { config } = compiled
  const events = completeEvents(vector.events)
  const folded = fold(config, events)
  return [
    ...effectDifferences(vector, folded),
    ...needsDifferences(vector, { config, events, folded }),
    ...textDifferences(vector, folded),
    ...lawDifferences(config, events, folded),
  ]
}

/** `states[i]` is the state before event `i`; the last one is the state after all events. */
function fold(config: CompiledConfig, events: readonly SessionEvent[]): Folded {
  const states = [initialState(config.promptName)]
  const effects: (readonly Effect[])[] = []
  let state = initialState(config.promptName)
  for (const event of events) {
    const next = step(config, state, event)
    state = next.state
    states.push(state)
    effects.push(next.effects)
  }
  return { states, effects }
}

/** A vector that lists no tool.decided does not check them; every other effect must be listed. */
function effectDifferences(vector: FoldVector, { effects }: Folded): readonly string[] {
  const aboutCalls = vector.expect.some(({ effect }) => effect === 'tool.decided')
  const actual = effects.flatMap((ofEvent, i) =>
    ofEvent
      .filter(({ kind }) => aboutCalls || kind !== 'tool.decided')
      .map(({ kind, data }) => ({ event: i + 1, effect: kind, data })),
  )
  const names = (list: readonly { event: number; effect: string }[]): string[] =>
    list.map(({ event, effect }) => `${event} ${effect}`)
  const order = differences(names(vector.expect), names(actual), 'effects')
  return order.length > 0 ? order : differences(vector.expect, actual, 'effects')
}

interface Run {
  readonly config: CompiledConfig
  readonly events: readonly SessionEvent[]
  readonly folded: Folded
}

function needsDifferences(vector: FoldVector, { config, events, folded }: Run): readonly string[] {
  return vector.needs.flatMap(({ event: position, files, links, answers }) => {
    const event = events[position - 1]
    const before = folded.states[position - 1]
    if (event === undefined || before === undefined) return [`there is no event ${position}`]
    const actual = factsNeeded(config, before, event)
    return exactDifferences({ files, links, answers }, actual).map(
      (text) => `needs of ${position}${text}`,
    )
  })
}

function textDifferences(vector: FoldVector, { effects }: Folded): readonly string[] {
  return vector.text.flatMap(({ event, xml, plain }) => {
    const deliveries = (effects[event - 1] ?? []).flatMap((effect) =>
      effect.kind === 'feedback.delivered' ? [effect.data] : [],
    )
    const actual = { xml: renderFeedback(deliveries), plain: renderFeedbackPlain(deliveries) }
    return differences({ xml, plain }, actual, `text of ${event}`)
  })
}

function lawDifferences(
  config: CompiledConfig,
  events: readonly SessionEvent[],
  whole: Folded,
): readonly string[] {
  const unrecorded = whole.effects.flat().flatMap((effect) => recordingProblem(effect) ?? [])
  const end = JSON.stringify(snapshotState(requireLastState(whole.states)))
  const cuts = events.flatMap((_, cut) => {
    const before = whole.states[cut]
    if (before === undefined) return []
    let state = restoreState(JSON.parse(JSON.stringify(snapshotState(before))))
    const effects: (readonly Effect[])[] = []
    for (const event of events.slice(cut)) {
      const next = step(config, state, event)
      state = next.state
      effects.push(next.effects)
    }
    const same =
      JSON.stringify(effects) === JSON.stringify(whole.effects.slice(cut)) &&
      JSON.stringify(snapshotState(state)) === end
    return same ? [] : [`a fold resumed after event ${cut} gives other results`]
  })
  return [...unrecorded, ...cuts]
}

function requireLastState(states: readonly SessionState[]): SessionState {
  const last = states.at(-1)
  if (last === undefined) throw new Error('a fold has at least its first state')
  return last
}
