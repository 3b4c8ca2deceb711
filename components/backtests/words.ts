import { countText, plural } from '@signalbox/core/analysis'
import { isStatus, type Status } from '@/components/ui/status-badge.tsx'
import type { BacktestSums, ChangeClass } from '@/server/backtests/backtest-list.sql.ts'

export const CLASS_WORDS = {
  would_deny: 'Would deny',
  would_allow: 'Would allow',
  would_block: 'Would block a stop',
  would_release: 'Would allow a stop',
  otherwise: 'Same verdict, different message',
} as const satisfies Record<ChangeClass, string>

const REASONS: Readonly<Record<string, string>> = {
  events_missing: 'Their events are no longer stored.',
  payloads_removed: 'Their payloads were removed by retention.',
  config_unknown: 'Their config version is not known here.',
  not_verified: 'Their recorded decisions differ from what their version decides.',
  files_not_recorded: 'its files were not looked up, because the config in force did not need them',
  answers_not_recorded: 'its code, model or reviewer was not asked at the time',
  content_not_recorded:
    'left out, because content is not recorded and its detectors did not run at the time',
  after_divergence: 'the session would have taken another path before it',
}

export function reasonText(reason: string): string {
  return REASONS[reason] ?? reason
}

const VERDICTS: Readonly<Record<string, { readonly status: Status; readonly word: string }>> = {
  asks: { status: 'pending', word: 'requires approval' },
  told: { status: 'info', word: 'advice' },
  silent: { status: 'pending', word: 'nothing' },
  unknown: { status: 'not_evaluated', word: 'cannot be replayed' },
}

export function verdictLook(verdict: string): { readonly status: Status; readonly word: string } {
  const known = VERDICTS[verdict]
  if (known !== undefined) return known
  return {
    status: isStatus(verdict) ? verdict : 'not_evaluated',
    word: verdict.replaceAll('_', ' '),
  }
}

const signed = (sign: '+' | '−', count: number, noun: string): readonly string[] =>
  count === 0 ? [] : [`${sign}${countText(count)} ${noun}`]

type Result = Pick<
  BacktestSums,
  | 'wouldDeny'
  | 'wouldAllow'
  | 'wouldBlock'
  | 'wouldRelease'
  | 'unchanged'
  | 'cannotReplay'
  | 'lateChanged'
  | 'lateUnchanged'
>

/** Decisions that could not be replayed are never called unchanged. */
export function resultText(run: Result): string {
  const changes = [
    ...signed('+', run.wouldDeny, 'deny'),
    ...signed('−', run.wouldAllow, 'deny'),
    ...signed('+', run.wouldBlock, 'block'),
    ...signed('−', run.wouldRelease, 'block'),
  ]
  const replayed = changes.length + run.unchanged + run.lateChanged + run.lateUnchanged
  if (replayed === 0) return run.cannotReplay > 0 ? 'nothing could be replayed' : 'empty sample'
  const apart = [
    ...(run.lateChanged > 0 ? [`${countText(run.lateChanged)} after divergence`] : []),
    ...(run.cannotReplay > 0 ? [`${countText(run.cannotReplay)} not replayed`] : []),
  ]
  const first = changes.length > 0 ? `${changes.join(', ')} in sample` : 'no change'
  return [first, ...apart].join(' · ')
}

interface ReplayGaps {
  readonly unreplayedRules: readonly {
    readonly rule: string
    readonly fidelity: 'approximate' | 'cannot_replay'
    readonly reason: string
    readonly sessions: number
  }[]
}

/** Results after a divergence are counted separately. */
export function fidelityText({ unreplayedRules }: ReplayGaps, rule: string): string {
  const of = (fidelity: 'approximate' | 'cannot_replay') =>
    unreplayedRules
      .filter((row) => row.rule === rule && row.fidelity === fidelity)
      .filter(({ reason }) => reason !== 'after_divergence')
      .reduce((sum, { sessions }) => sum + sessions, 0)
  const [guessed, unknown] = [of('approximate'), of('cannot_replay')]
  const told = [
    ...(guessed === 0 ? [] : [`approximate in ${plural(guessed, 'session')}`]),
    ...(unknown === 0 ? [] : [`cannot be replayed in ${plural(unknown, 'session')}`]),
  ]
  return told.length === 0 ? 'exact' : told.join(' · ')
}
