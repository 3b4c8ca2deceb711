// Running sessions that a release could tighten, and the obstacles for the others (specs/tighten.md). Advice for users and a check of the
// release: each session's runtime compares for itself and decides.
import type { ConfigDocument } from '@signalbox/core'
import { compareStrictness, looserWords, type StrictnessNote } from '@signalbox/core/tighten'
import { parseConfigText } from '@signalbox/wire'
import type { VersionRow } from '@/server/configs/versions.sql.ts'
import type { Content } from './release-subject.ts'
import type { Running, RunningSession } from './running-versions.sql.ts'

/**
 * Compares the content with a running version. `same`: it is this version. `unknown`: one of the two cannot be parsed here, so there is no
 * result.
 */
export type Side = 'same' | 'stricter' | 'looser' | 'unknown'

export interface JudgedVersion {
  readonly digest: string
  /** Null: not a version of this config here. */
  readonly number: number | null
  readonly side: Side
  readonly notes: readonly StrictnessNote[]
  /** Running sessions under it. */
  readonly count: number
  /** The newest of them. */
  readonly sessions: readonly Pick<RunningSession, 'id' | 'startedAt' | 'events'>[]
}

export interface Tightening {
  /** Sessions that would take the content. */
  readonly count: number
  /** Most sessions first. */
  readonly versions: readonly JudgedVersion[]
}

const MOST_NOTES = 5
const MOST_SESSIONS = 10

/** Against everything that runs. */
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

/**
 * Why a release may not ask running sessions to take it; null: it may. Sessions come and go, so the version in force counts as well: a
 * session under it may not be known here yet.
 */
export function whyNotTighten(
  running: Running,
  content: Content,
  live: VersionRow | null,
): string | null {
  const { versions } = toTightening(running, content)
  const current = live === null ? null : judge(content, live)
  const all = [...versions, ...(current === null ? [] : [current])]
  if (all.length === 0 || all.some(({ side }) => side === 'stricter')) return null
  const [why] = all.flatMap(({ notes }) => notes)
  if (why === undefined) return 'Running sessions run this content already.'
  return `Running sessions cannot be tightened: beside what they run, it ${looserWords([why])}. ${why.message}.`
}
