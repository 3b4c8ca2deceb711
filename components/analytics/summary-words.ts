// The answer of each page in a sentence, with the period of equal length before.
import { countText, plural, shareText } from '@signalbox/core/analysis'
import type { Summary, Totals } from '@/server/analytics/summary.ts'
import type { Topic } from './topics.ts'

const sum = (totals: Totals, ...names: readonly string[]): number =>
  names.reduce((total, name) => total + (totals[name] ?? 0), 0)

const sumAll = (totals: Totals): number => sum(totals, ...Object.keys(totals))

/** `, 1.4% the week before`; empty if that period had nothing to count. */
function beforeText(part: number, whole: number, period: string): string {
  return whole === 0 ? '' : `, ${shareText(part, whole)} ${period}`
}

/** Share of denied calls of the period before; null: no call was decided in it. */
export function findDeniedBefore({ before }: Summary): number | null {
  const whole = sumAll(before)
  return whole === 0 ? null : (sum(before, 'denied', 'error') / whole) * 100
}

interface Periods {
  readonly now: Totals
  readonly before: Totals
  readonly period: string
}

function summarizeDenials({ now, before, period }: Periods): string {
  const whole = sumAll(now)
  if (whole === 0) return 'No tool call was decided in this range.'
  const denied = sum(now, 'denied', 'error')
  const then = beforeText(sum(before, 'denied', 'error'), sumAll(before), period)
  const errors = sum(now, 'error')
  const failed = errors === 0 ? '' : ` ${countText(errors)} of them could not be evaluated.`
  const verb = denied === 1 ? 'was' : 'were'
  return `${countText(denied)} of ${plural(whole, 'call')} ${verb} denied (${shareText(denied, whole)})${then}.${failed}`
}

/** A stop under a config without a check is no attempt. */
const sumAttempts = (totals: Totals): number => sumAll(totals) - sum(totals, 'no_checker')

function summarizeStops({ now, before, period }: Periods): string {
  const whole = sumAttempts(now)
  if (whole === 0) return 'No agent tried to stop in this range.'
  const [blocked, bypassed, errors] = [sum(now, 'blocked'), sum(now, 'bypassed'), sum(now, 'error')]
  const then = beforeText(sum(before, 'blocked'), sumAttempts(before), period)
  const verb = blocked === 1 ? 'was' : 'were'
  const failed = errors === 0 ? '' : ` ${countText(errors)} could not be evaluated.`
  return `${countText(blocked)} of ${plural(whole, 'stop attempt')} ${verb} blocked (${shareText(blocked, whole)})${then}. ${countText(bypassed)} bypassed (${shareText(bypassed, whole)}).${failed}`
}

function summarizeFeedback({ now, before, period }: Periods): string {
  const advised = sum(now, 'expected')
  if (advised === 0) return 'No feedback with a suggested action was delivered in this range.'
  const followed = sum(now, 'followed')
  const then = beforeText(sum(before, 'followed'), sum(before, 'expected'), period)
  return `The agent followed ${countText(followed)} of ${plural(advised, 'suggestion')} (${shareText(followed, advised)})${then}.`
}

function summarizePlans({ now, before, period }: Periods): string {
  const ended = sumAll(now)
  if (ended === 0) return 'No session ended in this range.'
  const planned = ended - sum(now, 'none')
  if (planned === 0) return `${plural(ended, 'session')} ended, none with a plan.`
  const done = sum(now, '5')
  const then = beforeText(sum(before, '5'), sumAll(before) - sum(before, 'none'), period)
  return `${countText(done)} of ${plural(planned, 'ended session')} with a plan finished it (${shareText(done, planned)})${then}.`
}

const SENTENCES = {
  denials: summarizeDenials,
  stops: summarizeStops,
  feedback: summarizeFeedback,
  plans: summarizePlans,
} as const satisfies Record<Topic, (periods: Periods) => string>

export function summarize(topic: Topic, { now, before }: Summary, period: string): string {
  return SENTENCES[topic]({ now, before, period })
}

/** Name of the period of equal length before. */
export function periodText(ms: number): string {
  const hours = Math.round(ms / 3_600_000)
  if (hours === 168) return 'the week before'
  if (hours === 24) return 'the day before'
  return hours % 24 === 0 ? `the ${hours / 24} days before` : 'the period before'
}
