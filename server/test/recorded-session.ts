// A whole session as a runtime would have recorded it: every draft, followed by the decisions that core makes of it. Tests
// only.
import { compileConfig, initialState, type SessionEvent, step } from '@signalbox/core'
import { eventHash, parseConfigText } from '@signalbox/wire'
import { database } from '../db/client.ts'
import type { Draft } from './installation.ts'

export interface Release {
  readonly digest: string
  readonly text: string
}

/** The config that the installation brings. */
export async function firstRelease(): Promise<Release> {
  const { digest, text } = await database().prisma.configVersion.findFirstOrThrow()
  return { digest, text }
}

export interface Recording {
  readonly session: string
  /** Epoch ms of the first event; one every 10 ms. */
  readonly at: number
  /** Absent: the events name no config. */
  readonly release?: Release
}

function compiledOf(text: string) {
  const parsed = parseConfigText(text)
  const compiled = parsed.ok ? compileConfig(parsed.document) : parsed
  if (!compiled.ok) throw new Error('The config does not compile.')
  return compiled.config
}

export function recordedSession(
  { session, at, release }: Recording,
  drafts: readonly Draft[],
): readonly SessionEvent[] {
  const config = compiledOf(release?.text ?? '{"schema_version":1,"ns":"none","key":"none"}')
  const events: SessionEvent[] = []
  let state = initialState(config.promptName)
  const record = (draft: { readonly type: string; readonly data: object }): void => {
    const previous = events.at(-1)
    const envelope = { session, seq: events.length + 1, at: at + events.length * 10 }
    const prev = previous === undefined ? {} : { prev: eventHash(previous) }
    const digest = release === undefined ? {} : { config: release.digest }
    // The draft's type and data belong together; only the spread forgets it.
    const event = { ...envelope, ...draft, ...digest, ...prev } as SessionEvent
    events.push(event)
    const next = step(config, state, event)
    state = next.state
    for (const effect of next.effects) {
      if (effect.kind === 'anomaly') continue
      const delivery = effect.kind === 'feedback.delivered' ? { delivery: 'message' } : {}
      record({ type: effect.kind, data: { ...effect.data, ...delivery } })
    }
  }
  for (const draft of drafts) record(draft)
  return events
}
