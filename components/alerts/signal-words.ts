// The words of alerts: signals, and what a rule says in one sentence. Pure.
import { countText, percentText, plural } from '@signalbox/core/analysis'
import type { AlertSignal } from '@/server/alerts/alert-moments.sql.ts'

export const SIGNALS: readonly {
  readonly value: AlertSignal
  readonly label: string
  readonly hint: string
}[] = [
  {
    value: 'blocked_stops',
    label: 'Blocked stops',
    hint: 'Stop attempts that were blocked.',
  },
  {
    value: 'bypassed_stops',
    label: 'Bypassed stops',
    hint: 'Stops allowed without checks: deadline, budget, too many blocks.',
  },
  {
    value: 'error_verdicts',
    label: 'Error verdicts',
    hint: 'Calls and stops that could not be evaluated and were refused.',
  },
  {
    value: 'denial_rate',
    label: 'Denial rate',
    hint: 'Percentage of calls that were denied. Windows with fewer than 20 calls are ignored.',
  },
  {
    value: 'lost_sessions',
    label: 'Lost sessions',
    hint: 'Sessions without an end that sent nothing for 5 minutes and that no runtime reports.',
  },
  {
    value: 'runtimes_behind',
    label: 'Runtimes behind',
    hint: 'Connected runtimes that have not applied the live versions of their environment.',
  },
]

function signalLabel(signal: AlertSignal): string {
  return SIGNALS.find(({ value }) => value === signal)?.label ?? signal
}

interface Said {
  readonly signal: AlertSignal
  readonly environment: string | null
  readonly ns: string | null
  readonly key: string | null
  readonly runtime: string | null
  readonly code: string | null
  readonly windowMinutes: number
  readonly threshold: number
}

export function minutesText(minutes: number): string {
  return minutes % 60 === 0 ? plural(minutes / 60, 'hour') : plural(minutes, 'minute')
}

/** `5 or more blocked stops of one config in 15 minutes, in production` */
export function ruleSentence({
  signal,
  environment,
  ns,
  key,
  runtime,
  code,
  windowMinutes,
  threshold,
}: Said): string {
  const within = minutesText(windowMinutes)
  const place = environment === null ? 'in any environment' : `in ${environment}`
  if (signal === 'runtimes_behind') {
    const config = ns === null ? '' : ` on ${ns}/${key}`
    return `${runtime ?? 'A runtime'} behind${config} for ${within}, ${place}`
  }
  const where = [
    ns === null ? '' : `of ${ns}/${key}`,
    runtime === null ? '' : `on the runtime ${runtime}`,
    code === null ? '' : `with reason ${code}`,
    place,
  ]
    .filter(Boolean)
    .join(' ')
  if (signal === 'denial_rate')
    return `${threshold}% or more of the calls denied in ${within}, ${where}`
  return `${threshold} or more ${signalLabel(signal).toLowerCase()} of one config in ${within}, ${where}`
}

/** `5 of 3`, `13% of 10%` */
export function valueText(signal: AlertSignal, value: number): string {
  return signal === 'denial_rate' ? percentText(value) : countText(value)
}

/** `Firing, muted` */
export function standingText({
  isFiring,
  isMuted,
}: {
  readonly isFiring: boolean
  readonly isMuted: boolean
}): string {
  if (!isFiring) return 'Resolved'
  return isMuted ? 'Firing, muted' : 'Firing'
}
