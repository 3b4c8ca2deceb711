import type { SessionEvent } from '@signalbox/core'
import { expect } from 'vitest'
import { api } from '@/server/http/api.ts'
import { type Draft, eventsRequest, ndjson, newSessionId } from './installation.ts'
import { type Recording, recordedSession } from './recorded-session.ts'

export const AT = 1_795_000_000_000

export const NOTES = 'RELEASE_NOTES.md'

export const NOTES_EXIST = {
  files: { [NOTES]: { exists: true, kind: 'file', fingerprint: 'sha256:1' } },
} as const

export const plan = (...statuses: readonly string[]): Draft => ({
  type: 'plan.updated',
  data: { steps: statuses.map((status, index) => ({ title: `Step ${index + 1}`, status })) },
})

export interface StoredSession {
  readonly session: string
  readonly events: readonly SessionEvent[]
  /** Sequence number of the nth event of the type, counted from 0; 0: there is none. */
  readonly findSeq: (type: SessionEvent['type'], nth?: number) => number
  readonly stops: readonly string[]
  readonly calls: readonly string[]
}

/** Without a release its events name no config. */
export async function storeSession(
  key: string,
  drafts: readonly Draft[],
  recording: Partial<Recording> = {},
): Promise<StoredSession> {
  const session = newSessionId()
  const events = recordedSession({ session, at: AT, ...recording }, drafts)
  expect((await api.fetch(eventsRequest(key, ndjson(events)))).status).toBe(200)
  const findSeqs = (wanted: SessionEvent['type']): readonly number[] =>
    events.flatMap(({ type, seq }) => (type === wanted ? [seq] : []))
  const name = session.slice('sess_'.length)
  return {
    session,
    events,
    findSeq: (type, nth = 0) => findSeqs(type)[nth] ?? 0,
    stops: findSeqs('stop.decided').map((seq) => `stop_${name}_${seq}`),
    calls: findSeqs('tool.decided').map((seq) => `dec_${name}_${seq}`),
  }
}
