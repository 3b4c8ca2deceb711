// Core does the replay; this adds the server's words and limits. Pure.
import type { CompiledConfig, JsonObject, SessionEvent } from '@signalbox/core'
import { openBacktest, type ReplayedVerdict, type Verdicts } from '@signalbox/core/analysis'
import type { SessionVersions } from '@signalbox/core/tighten'
import type { ChangeRow, FinishedUnit } from './backtests.sql.ts'
import { changeRow } from './change-row.ts'
import type { ReplayUnit } from './replay-log.sql.ts'

/** More changes of a session are counted but not listed. */
const MOST_CHANGES = 1_000

export type UnitReason =
  | 'events_missing'
  | 'payloads_removed'
  /** Its version is not known here, or this build cannot evaluate it. */
  | 'config_unknown'
  /** The recorded decisions differ from those of its config, so a comparison would be meaningless. */
  | 'not_verified'

export interface ReplayResult {
  readonly unit: FinishedUnit
  readonly changes: readonly ChangeRow[]
}

export interface Replaying {
  fold(event: SessionEvent): void
  finish(): ReplayResult
}

export function openReplay(
  unit: ReplayUnit,
  configs: { readonly before: SessionVersions; readonly after: CompiledConfig },
): Replaying {
  const { position, sessionId, configDigest: digest } = unit
  const backtest = openBacktest(configs.before, configs.after, digest)
  const changes: ChangeRow[] = []
  let last: ReplayedVerdict | null = null
  return {
    fold(event) {
      const { differences, verdict } = backtest.fold(event)
      if (verdict !== null && isAbout(unit, verdict)) last = verdict
      if (unit.caseId !== null || changes.length >= MOST_CHANGES) return
      for (const difference of differences) {
        changes.push(changeRow({ position, sessionId }, difference, verdict))
      }
    },
    finish() {
      const summary = backtest.summary()
      const { verdicts, verdictsAfterwards, firstDivergence, changed, changedAfterwards } = summary
      const late = counted(verdictsAfterwards)
      const found: FinishedUnit = {
        position,
        sessionId,
        reason: null,
        firstDivergence,
        events: unit.upTo,
        ...counted(verdicts),
        lateChanged: late.wouldDeny + late.wouldAllow + late.wouldBlock + late.wouldRelease,
        lateUnchanged: late.unchanged + late.cannotReplay,
        changes: changed + changedAfterwards,
        rules: listInexactRules(summary.rules),
        verdict: unit.caseId === null ? null : toReplayVerdict(last),
      }
      return { unit: found, changes: changes.slice(0, MOST_CHANGES) }
    },
  }
}

export function unreplayed(unit: ReplayUnit, reason: UnitReason): ReplayResult {
  const { position, sessionId, verdicts, caseId } = unit
  const none = { wouldDeny: 0, wouldAllow: 0, wouldBlock: 0, wouldRelease: 0, unchanged: 0 }
  const found: FinishedUnit = {
    position,
    sessionId,
    reason,
    events: 0,
    firstDivergence: null,
    ...none,
    cannotReplay: verdicts,
    lateChanged: 0,
    lateUnchanged: 0,
    changes: 0,
    rules: [],
    verdict: caseId === null ? null : 'unknown',
  }
  return { unit: found, changes: [] }
}

function isAbout({ kind, callId }: ReplayUnit, verdict: ReplayedVerdict): boolean {
  if (kind === null || verdict.kind !== kind) return false
  return kind === 'stop' || verdict.callId === callId
}

function toReplayVerdict(last: ReplayedVerdict | null): string {
  if (last === null || last.class === 'cannot_replay') return 'unknown'
  if (last.passes) return 'allowed'
  return last.kind === 'stop' ? 'blocked' : 'denied'
}

function counted(verdicts: Verdicts) {
  return {
    wouldDeny: verdicts.would_deny,
    wouldAllow: verdicts.would_allow,
    wouldBlock: verdicts.would_block,
    wouldRelease: verdicts.would_release,
    unchanged: verdicts.unchanged,
    cannotReplay: verdicts.cannot_replay,
  }
}

function listInexactRules(
  rules: ReturnType<ReturnType<typeof openBacktest>['summary']>['rules'],
): readonly JsonObject[] {
  return Object.entries(rules).flatMap(([rule, { fidelity, reason, since }]) =>
    fidelity === 'exact' ? [] : [{ rule, fidelity, reason, since }],
  )
}
