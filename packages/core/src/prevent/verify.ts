import { openBacktest } from '../analysis/backtest/backtest-session.ts'
import { type CompiledConfig, compileConfig } from '../engine/compile.ts'
import type { ConfigDocument } from '../kinds/config.ts'
import type { SessionEvent } from '../model/event.ts'
import { type RanUnder, toSessionVersions } from '../tighten/governing.ts'
import { readIncident, replayIncident } from './incident.ts'
import { listRefusedCalls } from './session-rows.ts'

/** A session that should not have been as it was, with the call or stop that a user marked. */
export interface Marked {
  readonly events: readonly SessionEvent[]
  readonly seq: number
}

export interface VerifiedCandidate {
  /** The marked call or stop is denied, waits, or is blocked. */
  readonly stops: boolean
  /** Ids of good sessions in which a call or stop would have been refused. */
  readonly deniedGood: readonly string[]
  /** Good sessions with a decision that the log does not contain enough for. */
  readonly cannotReplay: number
  /** Other marked calls and stops that the change refuses. */
  readonly alsoStops: number
}

/** Backtests the whole changed document, with nothing left out. */
export function verifyCandidate(
  ran: RanUnder,
  document: ConfigDocument,
  {
    incident,
    good,
    bad = [],
  }: {
    readonly incident: Marked
    readonly good: Iterable<readonly SessionEvent[]>
    readonly bad?: Iterable<Marked>
  },
): VerifiedCandidate {
  const { options } = toSessionVersions(ran).began
  const compiled = compileConfig(document, options)
  if (!compiled.ok) return { stops: false, deniedGood: [], cannotReplay: 0, alsoStops: 0 }
  const { config } = compiled
  const deniedGood: string[] = []
  let [cannotReplay, alsoStops] = [0, 0]
  for (const events of good) {
    const { session, isDenied, isUnknown } = backtestGood(ran, config, events)
    if (isDenied) deniedGood.push(session)
    if (isUnknown) cannotReplay += 1
  }
  for (const marked of bad) if (isStopped(ran, config, marked)) alsoStops += 1
  return { stops: isStopped(ran, config, incident), deniedGood, cannotReplay, alsoStops }
}

/** What a backtest says about a session that was good as it was. */
export interface GoodBacktest {
  readonly session: string
  /** A call that was allowed would have been denied, or a stop blocked. Behind a divergence, too, where it is not certain. */
  readonly isDenied: boolean
  readonly isUnknown: boolean
}

/** A call that a reviewer did not approve was refused anyway. */
export function backtestGood(
  ran: RanUnder,
  config: CompiledConfig,
  events: readonly SessionEvent[],
): GoodBacktest {
  const backtest = openBacktest(ran, config)
  const refused = listRefusedCalls(events)
  let [isDenied, isUnknown] = [false, false]
  for (const event of events) {
    const { verdict } = backtest.fold(event)
    if (verdict?.callId !== null && refused.has(verdict?.callId ?? '')) continue
    if (verdict?.class === 'would_deny' || verdict?.class === 'would_block') isDenied = true
    if (verdict?.class === 'cannot_replay') isUnknown = true
  }
  return { session: events[0]?.session ?? '', isDenied, isUnknown }
}

/** False also if the call or stop was refused anyway. */
export function isStopped(ran: RanUnder, config: CompiledConfig, { events, seq }: Marked): boolean {
  const read = readIncident(ran, events, seq)
  return read.ok && replayIncident(config, read.incident) !== null
}
