// A difference before the stop makes it a guess, because the agent would have acted differently.
import type { CompiledConfig, SessionEvent } from '@signalbox/core'
import {
  FOLDED_EVENT_TYPES,
  type OpenBacktest,
  openBacktest,
  stopSentence,
} from '@signalbox/core/analysis'
import type { SessionVersions } from '@signalbox/core/tighten'
import type { ProjectScope } from '@/server/platform/auth/scope.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { toLoggedEvent } from '@/server/sessions/log/logged-event.ts'
import { findFoldStart } from '@/server/sessions/log/session-fold.ts'
import { findLogPlace, type LogPlace, readLog } from '@/server/sessions/log/session-log.sql.ts'
import { findConfigInForce } from './config-in-force.sql.ts'
import { findStop, type RecordedStop } from './stop-attempts.sql.ts'

export type LiveVerdict =
  | {
      readonly kind: 'computed'
      readonly version: number
      readonly outcome: 'same' | 'released' | 'blocked'
      /** Reason of the live version, without a period; null: the recorded one. */
      readonly sentence: string | null
      /** `approximate`: the sessions had diverged before. */
      readonly fidelity: 'exact' | 'approximate'
      /** Sequence number of the event after which the agent would first have noticed a difference; null: none up to this stop. */
      readonly partedAt: number | null
    }
  | { readonly kind: 'not_computed'; readonly why: string }

const PAGE = 1_000

const not = (why: string): LiveVerdict => ({ kind: 'not_computed', why })

async function versionsUpTo(
  place: LogPlace,
  began: CompiledConfig,
  find: (digest: string) => Promise<CompiledConfig | null>,
): Promise<SessionVersions> {
  const rows = await readLog(place, {
    from: 1,
    to: place.contiguousSeq,
    limit: PAGE,
    types: ['config.applied'],
  })
  const versions = new Map<string, CompiledConfig | null>()
  for (const row of rows) {
    const event = toLoggedEvent(place.sessionId, row)
    if (event.type !== 'config.applied') continue
    versions.set(event.data.digest, await find(event.data.digest))
  }
  return { began, find: (digest) => versions.get(digest) ?? null }
}

async function foldUpTo(place: LogPlace, seq: number, backtest: OpenBacktest) {
  let last: ReturnType<OpenBacktest['fold']> | null = null
  let from = 1
  while (from <= seq) {
    const rows = await readLog(place, { from, to: seq, limit: PAGE, types: FOLDED_EVENT_TYPES })
    const events = rows.map((row): SessionEvent => toLoggedEvent(place.sessionId, row))
    for (const event of events) last = backtest.fold(event)
    const newest = rows.at(-1)
    if (newest === undefined || rows.length < PAGE) break
    from = newest.seq + 1
  }
  return last
}

async function compare(
  place: LogPlace,
  stop: RecordedStop,
  backtest: OpenBacktest,
): Promise<Omit<Extract<LiveVerdict, { kind: 'computed' }>, 'version'> | null> {
  const step = await foldUpTo(place, stop.attemptedSeq, backtest)
  const verdict = step?.verdict
  if (verdict === null || verdict === undefined || verdict.kind !== 'stop') return null
  if (verdict.class === 'cannot_replay') return null
  const after = step?.differences.find(({ subject }) => subject === 'stop')?.after
  const sentence = after?.kind === 'stop.decided' ? stopSentence(after.data) : null
  const { firstDivergence } = backtest.summary()
  const outcome = { would_release: 'released', would_block: 'blocked' } as const
  return {
    kind: 'computed',
    outcome:
      verdict.class === 'would_release' || verdict.class === 'would_block'
        ? outcome[verdict.class]
        : 'same',
    sentence,
    fidelity: verdict.fidelity,
    partedAt: firstDivergence === stop.attemptedSeq ? null : firstDivergence,
  }
}

/** Folds the session up to the stop. Rejects with `not_found` when the project has no such stop. */
export async function liveVerdict(scope: ProjectScope, stopId: string): Promise<LiveVerdict> {
  const { projectId } = scope
  const stop = await findStop(projectId, stopId)
  const place = stop === null ? null : await findLogPlace(projectId, stop.sessionId)
  if (stop === null || place === null) {
    throw new ServiceError('not_found', `There is no stop ${stopId}.`)
  }
  const { configDigest: digest, environment } = stop
  const config = digest === null ? null : await findConfigInForce(projectId, digest, environment)
  if (config === null) return not('The version that decided is not stored here.')
  const { liveDigest, liveNumber } = config
  if (liveDigest === null || liveNumber === null) return not(`Nothing is live in ${environment}.`)
  if (liveDigest === digest) return not('The live version made this decision.')
  if (place.removed !== null || stop.attemptedSeq > place.contiguousSeq) {
    return not('The events up to this stop are not all stored.')
  }
  const start = await findFoldStart(projectId, place)
  const live = await start.find(liveDigest)
  if (start.digest === null || live === null) {
    return not('One of the two versions cannot be evaluated here.')
  }
  const versions = await versionsUpTo(place, start.config, start.find)
  const found = await compare(place, stop, openBacktest(versions, live, start.digest))
  return found === null
    ? not('It needs an answer or a look-up that was not recorded.')
    : { ...found, version: liveNumber }
}
