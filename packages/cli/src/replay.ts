// signalbox replay: folds a recorded log with core and prints every effect; with --check it compares the decisions in the
// log with the recomputed ones, byte for byte.
import {
  type CompiledConfig,
  type Effect,
  initialState,
  type SessionEvent,
  type SessionState,
  step,
} from '@signalbox/core'
import { decisionSentence, stopSentence } from '@signalbox/core/views'
import { canonicalJson, parseEventLine } from '@signalbox/wire'
import { EXIT, type Io, Unusable } from './io.ts'

export interface ReplayOptions {
  readonly json: boolean
  readonly check: boolean
}

interface Fold {
  readonly state: SessionState
  /** Recomputed decisions that the log has not confirmed yet, oldest first. */
  readonly awaited: readonly { readonly kind: string; readonly text: string }[]
}

export async function replay(
  io: Io,
  files: { readonly config: CompiledConfig; readonly events: string },
  options: ReplayOptions,
): Promise<number> {
  const folds = new Map<string, Fold>()
  let confirmed = 0
  for await (const event of eventsOf(io, files.events)) {
    const before = folds.get(event.session) ?? newFold(files.config)
    const next = step(files.config, before.state, event)
    const awaited = options.check ? confirm(before.awaited, event, next.effects) : []
    if (awaited === null) {
      io.out(`diverged at #${event.seq} of ${event.session}`)
      return EXIT.findings
    }
    folds.set(event.session, { state: next.state, awaited })
    if (isRecord(event.type)) confirmed += 1
    if (!options.check) printAll(io, event, { effects: next.effects, json: options.json })
  }
  if (options.check) io.out(`verified: ${confirmed} decisions`)
  return EXIT.clean
}

function newFold(config: CompiledConfig): Fold {
  return { state: initialState(config.promptName), awaited: [] }
}

/** Known events, each after the one before it in its session; throws Unusable with the line number otherwise. */
async function* eventsOf(io: Io, file: string): AsyncGenerator<SessionEvent> {
  const last = new Map<string, number>()
  let number = 0
  for await (const line of io.readLines(file)) {
    number += 1
    const event = line.trim() === '' ? null : eventOf(line, number, file)
    if (event === null) continue
    const before = last.get(event.session) ?? 0
    if (event.seq <= before) {
      throw new Unusable(
        `${file}:${number}: event #${event.seq} comes after #${before}. Sort the log by sequence number.`,
      )
    }
    last.set(event.session, event.seq)
    yield event
  }
}

function eventOf(line: string, number: number, file: string): SessionEvent | null {
  const parsed = parseEventLine(line)
  if (!parsed.ok) {
    const { pointer, message } = parsed.problem
    throw new Unusable(`${file}:${number}${pointer === '' ? '' : ` ${pointer}`}: ${message}`)
  }
  // An event of a type that this build does not know changes nothing.
  return parsed.known ? parsed.event : null
}

function isRecord(type: string): type is 'tool.decided' | 'feedback.delivered' | 'stop.decided' {
  return type === 'tool.decided' || type === 'feedback.delivered' || type === 'stop.decided'
}

/** The awaited decisions after this event; null when it records another decision than was recomputed. */
function confirm(
  awaited: Fold['awaited'],
  event: SessionEvent,
  effects: readonly Effect[],
): Fold['awaited'] | null {
  const added = effects
    .filter((effect) => effect.kind !== 'anomaly')
    .map((effect) => ({ kind: effect.kind, text: canonicalJson(effect.data) }))
  const all = [...awaited, ...added]
  if (!isRecord(event.type)) return all
  const recorded = canonicalJson(withoutDelivery(event))
  const index = all.findIndex(({ kind, text }) => kind === event.type && text === recorded)
  return index < 0 ? null : all.filter((_, i) => i !== index)
}

/** How feedback was delivered is the runtime's own addition; core does not decide it. */
function withoutDelivery(event: SessionEvent): object {
  if (event.type !== 'feedback.delivered') return event.data
  const { delivery: _, ...data } = event.data
  return data
}

function printAll(
  io: Io,
  event: SessionEvent,
  shown: { readonly effects: readonly Effect[]; readonly json: boolean },
): void {
  for (const effect of shown.effects) {
    const line = { session: event.session, seq: event.seq, kind: effect.kind, data: effect.data }
    io.out(shown.json ? canonicalJson(line) : `#${event.seq}  ${effect.kind}  ${wordsOf(effect)}`)
  }
}

function wordsOf(effect: Effect): string {
  switch (effect.kind) {
    case 'tool.decided':
      return `${effect.data.tool} ${effect.data.decision}: ${decisionSentence(effect.data)}`
    case 'feedback.delivered':
      return `${effect.data.name} ${effect.data.severity}: ${effect.data.summary}`
    case 'stop.decided':
      return `attempt ${effect.data.attempt} ${effect.data.verdict}: ${stopSentence(effect.data)}`
    case 'approval.requested':
      return `${effect.data.tool} waits for approval (${effect.data.rules.join(', ')})`
    case 'feedback.failed':
      return `${effect.data.provider}: ${effect.data.error}`
    case 'anomaly':
      return `${effect.data.code} ${effect.data.tool}`
    default:
      return effect satisfies never
  }
}
