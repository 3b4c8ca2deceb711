// Advises users and checks the release (specs/tighten.md); each session's runtime compares and decides for itself.
import type { ConfigDocument } from '@signalbox/core'
import { compareStrictness, looserWords, type StrictnessNote } from '@signalbox/core/tighten'
import { parseConfigText } from '@signalbox/wire'
import type { VersionRow } from '@/server/configs/versions.sql.ts'
import { toGate } from './place-gates.ts'
import type { Gate } from './release-input.ts'
import type { Content } from './release-subject.ts'
import type { Running, RunningSession } from './running-versions.sql.ts'

/** Result of comparing the content with a running version. `same`: it is that version. `unknown`: one of the two cannot be parsed here. */
export type Side = 'same' | 'stricter' | 'looser' | 'unknown'

export interface JudgedVersion {
  readonly digest: string
  /** Null: this config has no such version here. */
  readonly number: number | null
  readonly side: Side
  readonly notes: readonly StrictnessNote[]
  readonly count: number
  readonly sessions: readonly Pick<RunningSession, 'id' | 'startedAt' | 'events'>[]
}

export interface Tightening {
  readonly count: number
  readonly versions: readonly JudgedVersion[]
}

const MOST_NOTES = 5
const MOST_SESSIONS = 10

export function toTightening({ sessions, versions }: Running, content: Content): Tightening {
  const byDigest = new Map<string, RunningSession[]>()
  for (const session of sessions) {
    const running = byDigest.get(session.digest)
    if (running === undefined) byDigest.set(session.digest, [session])
    else running.push(session)
  }
  const judged = [...byDigest].map(([digest, running]): JudgedVersion => {
    const version = versions.get(digest)
    return {
      digest,
      number: version?.number ?? null,
      ...judge(content, { digest, text: version?.text ?? null }),
      count: running.length,
      sessions: running
        .slice(0, MOST_SESSIONS)
        .map(({ id, startedAt, events }) => ({ id, startedAt, events })),
    }
  })
  const takers = judged.filter(({ side }) => side === 'stricter')
  return {
    count: takers.reduce((sum, { count }) => sum + count, 0),
    versions: judged.sort((a, b) => b.count - a.count),
  }
}

function judge(
  { digest, document }: Content,
  from: { readonly digest: string; readonly text: string | null },
): Pick<JudgedVersion, 'side' | 'notes'> {
  if (from.digest === digest) return { side: 'same', notes: [] }
  const before = parseDocument(from.text)
  if (before === null || document === null) return { side: 'unknown', notes: [] }
  const compared = compareStrictness(before, document)
  return compared.stricter
    ? { side: 'stricter', notes: compared.changes.slice(0, MOST_NOTES) }
    : { side: 'looser', notes: compared.looser.slice(0, MOST_NOTES) }
}

function parseDocument(text: string | null): ConfigDocument | null {
  const parsed = text === null ? null : parseConfigText(text)
  return parsed?.ok === true ? parsed.document : null
}

/** The live version counts as well, because a session under it may have started and not be known here yet. */
export function tightenGates(
  running: Running,
  content: Content,
  live: VersionRow | null,
): readonly Gate[] {
  const { versions } = toTightening(running, content)
  const current = live === null ? null : judge(content, live)
  const all = [...versions, ...(current === null ? [] : [current])]
  if (all.length === 0 || all.some(({ side }) => side === 'stricter')) return []
  const [why] = all.flatMap(({ notes }) => notes)
  const sentence =
    why === undefined
      ? 'Running sessions run this content already'
      : `Running sessions cannot be tightened: beside what they run, it ${looserWords([why])}. ${why.message}`
  return [toGate('looser', 'missing', sentence)]
}
