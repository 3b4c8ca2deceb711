import {
  type CompiledConfig,
  type Effect,
  initialState,
  type SessionEvent,
  type SessionState,
  step,
} from '@signalbox/core'
import { decisionSentence, ruleSentence, stopSentence } from '@signalbox/core/analysis'
import { canonicalJson } from '@signalbox/wire'
import type { ConfigFile } from './base/config-file.ts'
import { readEvents } from './base/event-log.ts'
import { EXIT, type Io } from './base/io.ts'
import { printable } from './base/printable.ts'

interface Fold {
  readonly config: CompiledConfig
  readonly state: SessionState
}

export async function replay(
  io: Io,
  files: { readonly config: ConfigFile; readonly events: string },
  options: { readonly json: boolean },
): Promise<number> {
  const folds = new Map<string, Fold>()
  for await (const event of readEvents(io, files.events)) {
    const { config, state } = folds.get(event.session) ?? newFold(files.config, event)
    const next = step(config, state, event)
    folds.set(event.session, { config, state: next.state })
    printAll(io, event, { effects: next.effects, json: options.json })
  }
  return EXIT.clean
}

function newFold(file: ConfigFile, first: SessionEvent): Fold {
  const config = file.compiledFor(readCustomTypes(first))
  return { config, state: initialState(config.promptName) }
}

/** Custom types of the session that `first` opens: they determine which optional rules its runtime enforced. */
export function readCustomTypes(first: SessionEvent): readonly string[] {
  return first.type === 'session.started' ? (first.data.custom_types ?? []) : []
}

function printAll(
  io: Io,
  event: SessionEvent,
  shown: { readonly effects: readonly Effect[]; readonly json: boolean },
): void {
  for (const effect of shown.effects) {
    const line = { session: event.session, seq: event.seq, kind: effect.kind, data: effect.data }
    const words = () => printable(`#${event.seq}  ${effect.kind}  ${describeEffect(effect)}`)
    io.out(shown.json ? canonicalJson(line) : words())
  }
}

function describeEffect(effect: Effect): string {
  switch (effect.kind) {
    case 'tool.decided':
      return `${effect.data.tool} ${effect.data.decision}: ${decisionSentence(effect.data)}`
    case 'feedback.delivered':
      return `${effect.data.name} ${effect.data.severity}: ${effect.data.summary}`
    case 'content.decided':
      return `${effect.data.tool} result ${effect.data.verdict}: ${effect.data.rules.map((rule) => ruleSentence(rule)).join(', ')}`
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
