// Explains why a part of an explanation is empty, so that "not stored" is never shown as "none". Pure.
import { plural } from '@signalbox/core/analysis'
import type { StopExplanation } from '@/server/explanations/stop-explanation.ts'

export function notStoredText({ removed }: Pick<StopExplanation, 'removed'>): string {
  return removed === null
    ? 'Not captured: the event of this decision is not stored.'
    : `Removed by the retention rule, which keeps events ${plural(removed.days, 'day')}. Verdict and reason are kept.`
}

export function notCapturedText({ sdk }: { readonly sdk: string | null }): string {
  return sdk === null ? 'not captured' : `not captured by runtime ${sdk}`
}
