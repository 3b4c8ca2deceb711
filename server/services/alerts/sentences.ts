// What an alert says where no single event says it. Pure.
import type { AlertSignal } from '../../read-models/alert-moments.ts'

/** `reason`: of the newest moment; null: it has none. */
export function alertReason(
  {
    signal,
    windowMinutes,
    ns,
    key,
    runtime,
  }: {
    readonly signal: AlertSignal
    readonly windowMinutes: number
    readonly ns: string | null
    readonly key: string | null
    readonly runtime: string | null
  },
  value: number,
  reason: string | null,
): string {
  const minutes = windowMinutes === 1 ? '1 minute' : `${windowMinutes} minutes`
  switch (signal) {
    case 'blocked_stops':
    case 'bypassed_stops':
    case 'error_verdicts':
      return reason ?? 'The reason was not recorded.'
    case 'denial_rate':
      return `${value.toFixed(value < 10 ? 1 : 0)} % of the calls${ns === null ? '' : ` of ${ns}/${key}`}${runtime === null ? '' : ` on the runtime ${runtime}`} in ${minutes} were denied.${reason === null ? '' : ` The last one: ${reason}`}`
    case 'lost_sessions':
      return value === 1
        ? 'A session was lost: it sent nothing more and did not end.'
        : `${value} sessions were lost: they sent nothing more and did not end.`
    case 'runtimes_behind':
      return reason === null
        ? `The runtime has not applied what its environment serves for ${minutes}.`
        : `The runtime refused what its environment serves: ${reason}`
    default:
      return signal satisfies never
  }
}
