// Pure: console and server use it. The query in alert-moments.sql.ts defines what a signal counts.
import {
  countText,
  endSentence,
  percentText,
  plural,
  reasonWords,
  secondsText,
} from '@signalbox/core/analysis'

/** The page of the rules looks this far back for their alerts, which are kept without a limit. */
export const FIRINGS_DAYS = 90

export interface SignalConditions {
  readonly environment: string | null
  readonly ns: string | null
  readonly key: string | null
  readonly runtime: string | null
  readonly code: string | null
  readonly windowMinutes: number
  readonly threshold: number
}

interface Fired extends Pick<SignalConditions, 'ns' | 'key' | 'runtime' | 'windowMinutes'> {
  readonly value: number
  /** Reason of the newest moment; null: none. */
  readonly reason: string | null
}

interface AlertSignalKind {
  readonly label: string
  readonly hint: string
  readonly configHint: string
  /**
   * `share`: percentage of calls. `factor`: a multiple of what is usual. `standing`: a current state without threshold and history.
   * `waiting`: a call that waits for approval, without threshold and window.
   */
  readonly measure: 'count' | 'share' | 'factor' | 'standing' | 'waiting'
  /** Severity of an incident that it opens. */
  readonly severity: 'critical' | 'error' | 'warning'
  /** Words of the link to the page that explains it. */
  readonly link: string
  /** After value and threshold in a message. */
  readonly unit: '%' | '×' | ''
  readonly hasCode: boolean
  /** Verdict of the stops that it counts; null: it counts no stops, or not by verdict. */
  readonly stopVerdict: 'blocked' | 'bypassed' | 'error' | null
  describeRule(rule: SignalConditions): string
  /** In the past tense, because a resolved alert keeps it. */
  explainAlert(fired: Fired): string
}

const WHY = 'Why'

const ALERT_SIGNALS = {
  blocked_stops: stops('blocked', {
    label: 'Blocked stops',
    hint: 'Stop attempts that were blocked.',
  }),
  bypassed_stops: stops('bypassed', {
    label: 'Bypassed stops',
    hint: 'Stops allowed without checks: deadline, budget, too many blocks.',
  }),
  error_verdicts: stops('error', {
    label: 'Error verdicts',
    hint: 'Calls and stops that could not be evaluated and were refused.',
  }),
  denial_rate: {
    label: 'Denial rate',
    hint: 'Percentage of calls that were denied. Windows with fewer than 20 calls are ignored.',
    configHint: 'Without a config, all calls of an environment are counted together.',
    measure: 'share',
    severity: 'warning',
    link: WHY,
    unit: '%',
    hasCode: false,
    stopVerdict: null,
    describeRule: (rule) =>
      `${rule.threshold}% or more of the calls denied in ${minutesText(rule.windowMinutes)}, ${whereText(rule)}`,
    explainAlert: ({ value, reason, runtime, windowMinutes, ...fired }) => {
      const calls = `${configText(fired)}${runtime === null ? '' : ` on the runtime ${runtime}`}`
      const rate = `${percentText(value)} of the calls${calls} in ${plural(windowMinutes, 'minute')} were denied.`
      return reason === null ? rate : `${rate} The last one: ${reason}`
    },
  },
  lost_sessions: {
    label: 'Lost sessions',
    hint: 'Sessions without an end that sent nothing for 5 minutes and that no runtime reports.',
    configHint: 'Each config fires separately.',
    measure: 'count',
    severity: 'error',
    link: WHY,
    unit: '',
    hasCode: false,
    stopVerdict: null,
    describeRule: (rule) => describeCount('lost sessions', rule),
    explainAlert: ({ value }) =>
      value === 1
        ? 'A session was lost: it sent nothing more and did not end.'
        : `${countText(value)} sessions were lost: they sent nothing more and did not end.`,
  },
  runtimes_behind: {
    label: 'Runtimes behind',
    hint: 'Connected runtimes that have not applied the live versions of their environment.',
    configHint: 'With a config, only its releases count.',
    measure: 'standing',
    severity: 'warning',
    link: WHY,
    unit: '',
    hasCode: false,
    stopVerdict: null,
    describeRule: ({ ns, key, runtime, windowMinutes, environment }) => {
      const config = ns === null ? '' : ` of ${ns}/${key}`
      return `${runtime ?? 'A runtime'} rejects a release${config} or stays behind for ${minutesText(windowMinutes)}, ${placeText(environment)}`
    },
    explainAlert: ({ reason, windowMinutes, ...fired }) =>
      reason === null
        ? `The runtime had not applied what its environment serves${configText(fired)} for ${plural(windowMinutes, 'minute')}.`
        : `The runtime refused what its environment serves: ${reason}`,
  },
  denials_after_release: {
    label: 'Denials after a release',
    hint: 'Multiple of the share of denied calls under the version before. Counted from 50 calls under each version.',
    configHint: 'Each release fires separately.',
    measure: 'factor',
    severity: 'warning',
    link: 'Compare',
    unit: '×',
    hasCode: false,
    stopVerdict: null,
    describeRule: (rule) =>
      `The share of denied calls rises to ${rule.threshold}× within ${minutesText(rule.windowMinutes)} of a release, ${whereText(rule)}`,
    explainAlert: ({ value, reason }) =>
      reason ?? `The share of denied calls rose to ${value}× after the release.`,
  },
  blocks_in_a_row: {
    label: 'Blocked again and again',
    hint: 'Stop attempts of one session that the same check blocked, without an allowed one between them.',
    configHint: 'Each session and check fires separately.',
    measure: 'count',
    severity: 'warning',
    link: WHY,
    unit: '',
    hasCode: false,
    stopVerdict: null,
    describeRule: (rule) =>
      `The same check blocks a session ${rule.threshold} times in a row in ${minutesText(rule.windowMinutes)}, ${whereText(rule)}`,
    explainAlert: ({ value, reason }) =>
      `${countText(value)} stops were blocked in a row. ${reason ?? 'The reason was not recorded.'}`,
  },
  silent_runtimes: {
    label: 'Silent runtimes',
    hint: 'Runtimes without a heartbeat while sessions run on them. A heartbeat comes every 30 seconds.',
    configHint: 'With a config, only its sessions count.',
    measure: 'standing',
    severity: 'error',
    link: 'Open the runtime',
    unit: '',
    hasCode: false,
    stopVerdict: null,
    describeRule: ({ runtime, windowMinutes, environment }) =>
      `${runtime ?? 'A runtime'} sends no heartbeat for ${minutesText(windowMinutes)} while sessions run on it, ${placeText(environment)}`,
    explainAlert: ({ windowMinutes }) =>
      `The runtime sent no heartbeat for ${plural(windowMinutes, 'minute')} while sessions ran on it.`,
  },
  long_sessions: {
    label: 'Long sessions',
    hint: 'Multiple of the median duration of the last 200 sessions of the prompt. Counted from 10 of them.',
    configHint: 'Each session fires separately.',
    measure: 'factor',
    severity: 'warning',
    link: 'Open the session',
    unit: '×',
    hasCode: false,
    stopVerdict: null,
    describeRule: (rule) =>
      `A session takes ${rule.threshold}× the median of its prompt, ${whereText(rule)}`,
    explainAlert: ({ reason }) => {
      const [id = '', seconds, median] = (reason ?? '').split(' ')
      return `${id.slice(0, 5)}…${id.slice(-4)} had run for ${lengthText(Number(seconds))}; the median of its prompt was ${lengthText(Number(median))}.`
    },
  },
  approval_waiting: waiting({
    label: 'Approval waiting',
    hint: 'A call that waits for approval. Fires within seconds.',
    severity: 'warning',
    states: 'waits for approval',
    happened: 'asked for approval',
  }),
  approval_lapsing: waiting({
    label: 'Approval lapsing',
    hint: 'A call that still waits for approval when half of its time is over.',
    severity: 'critical',
    states: 'still waits for approval, and half of the time is over',
    happened: 'was still waiting for approval when half of its time was over',
  }),
} as const satisfies { readonly [signal: string]: AlertSignalKind }

export type AlertSignal = keyof typeof ALERT_SIGNALS

/** In the order of the form. The assertion: TypeScript types keys as string. */
export const ALERT_SIGNAL_NAMES = Object.keys(ALERT_SIGNALS) as [AlertSignal, ...AlertSignal[]]

export function alertSignal(signal: AlertSignal): AlertSignalKind {
  return ALERT_SIGNALS[signal]
}

/** A rule or check without a sentence of its own gives its code as the reason. */
const REASON_CODE = /^[a-z]\w*(\.[a-z]\w*)+$/

/** Sentence of an alert. Reasons of rules and checks may end without a period. */
export function alertSentence(
  rule: SignalConditions & { readonly signal: AlertSignal },
  fired: Pick<Fired, 'value' | 'reason'>,
): string {
  const { value, reason: given } = fired
  const reason = given !== null && REASON_CODE.test(given) ? reasonWords(given) : given
  const text = ALERT_SIGNALS[rule.signal].explainAlert({ ...rule, value, reason })
  return endSentence(text)
}

function stops(
  stopVerdict: 'blocked' | 'bypassed' | 'error',
  { label, hint }: Pick<AlertSignalKind, 'label' | 'hint'>,
): AlertSignalKind {
  return {
    label,
    hint,
    configHint: 'Each config fires separately.',
    measure: 'count',
    severity: 'warning',
    link: WHY,
    unit: '',
    hasCode: true,
    stopVerdict,
    describeRule: (rule) => describeCount(label.toLowerCase(), rule),
    explainAlert: ({ reason }) => reason ?? 'The reason was not recorded.',
  }
}

function waiting({
  label,
  hint,
  severity,
  states,
  happened,
}: Pick<AlertSignalKind, 'label' | 'hint' | 'severity'> & {
  /** After the call, in a sentence. */
  readonly states: string
  /** The same in the past tense: an alert keeps its sentence when it is resolved. */
  readonly happened: string
}): AlertSignalKind {
  return {
    label,
    hint,
    configHint: 'Each call fires separately.',
    measure: 'waiting',
    severity,
    link: 'Open the approval',
    unit: '',
    hasCode: false,
    stopVerdict: null,
    describeRule: (rule) => `A call that ${states}, ${whereText(rule)}`,
    explainAlert: ({ reason }) => {
      const [limit = '', ...tool] = (reason ?? '').split(' ')
      return `${tool.join(' ')} ${happened}; its time limit: ${limit} UTC`
    },
  }
}

/** A call that waits for approval is reported at once. */
export function hasWindow(signal: AlertSignal): boolean {
  return ALERT_SIGNALS[signal].measure !== 'waiting'
}

export function hasThreshold(signal: AlertSignal): boolean {
  return hasWindow(signal) && ALERT_SIGNALS[signal].measure !== 'standing'
}

export function minutesText(minutes: number): string {
  return secondsText(minutes * 60)
}

function lengthText(seconds: number): string {
  if (seconds >= 60) return secondsText(Math.round(seconds / 60) * 60)
  return `${Number(seconds.toPrecision(2))} s`
}

function describeCount(noun: string, rule: SignalConditions): string {
  return `${rule.threshold} or more ${noun} of one config in ${minutesText(rule.windowMinutes)}, ${whereText(rule)}`
}

function whereText({ ns, key, runtime, code, environment }: SignalConditions): string {
  return [
    ns === null ? '' : `of ${ns}/${key}`,
    runtime === null ? '' : `on the runtime ${runtime}`,
    code === null ? '' : `with reason ${code}`,
    placeText(environment),
  ]
    .filter(Boolean)
    .join(' ')
}

function placeText(environment: string | null): string {
  return environment === null ? 'in any environment' : `in ${environment}`
}

function configText({ ns, key }: Pick<Fired, 'ns' | 'key'>): string {
  return ns === null ? '' : ` of ${ns}/${key}`
}
