// What an alert says where no single event says it. Pure.
import { countText, percentText, plural } from '@signalbox/core/analysis'
import type { AlertSignal } from './alert-moments.sql.ts'

interface Asked {
  readonly signal: AlertSignal
  readonly windowMinutes: number
  readonly ns: string | null
  readonly key: string | null
  readonly runtime: string | null
}

/** `reason`: of the newest moment; null: it has none. */
export function alertReason(asked: Asked, value: number, reason: string | null): string {
  switch (asked.signal) {
    case 'blocked_stops':
    case 'bypassed_stops':
    case 'error_verdicts':
      return reason ?? 'The reason was not recorded.'
    case 'denial_rate':
      return `${denialRate(asked, value)}${reason === null ? '' : ` The last one: ${reason}`}`
    case 'lost_sessions':
      return value === 1
        ? 'A session was lost: it sent nothing more and did not end.'
        : `${countText(value)} sessions were lost: they sent nothing more and did not end.`
    case 'runtimes_behind':
      return reason === null
        ? `The runtime has not applied what its environment serves${configOf(asked)} for ${within(asked)}.`
        : `The runtime refused what its environment serves: ${reason}`
    default:
      return asked.signal satisfies never
  }
}

function denialRate(asked: Asked, value: number): string {
  const { runtime } = asked
  const calls = `${configOf(asked)}${runtime === null ? '' : ` on the runtime ${runtime}`}`
  return `${percentText(value)} of the calls${calls} in ${within(asked)} were denied.`
}

function configOf({ ns, key }: Asked): string {
  return ns === null ? '' : ` of ${ns}/${key}`
}

function within({ windowMinutes }: Asked): string {
  return plural(windowMinutes, 'minute')
}
