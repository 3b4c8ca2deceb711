import type { Effect, FeedbackDelivery } from '@signalbox/core'
import { renderFeedback, renderFeedbackPlain } from '@signalbox/core/host'
import type { FeedbackChannel } from './session-answers.ts'
import type { SessionLog } from './session-log.ts'

export interface DeliveryParts {
  readonly log: SessionLog
  readonly channel: FeedbackChannel
  /** True: this harness escapes markup, so feedback has no tags. */
  readonly plainFeedback: boolean
}

/** Records every delivery and failure. Returns the text for the agent; null: there is none. */
export function deliverFeedback(
  effects: readonly Effect[],
  { log, channel, plainFeedback }: DeliveryParts,
): string | null {
  const deliveries: FeedbackDelivery[] = []
  for (const effect of effects) {
    if (effect.kind === 'feedback.failed') log.record('feedback.failed', effect.data)
    if (effect.kind !== 'feedback.delivered') continue
    const delivery = effect.data.mode === 'enforce' ? channel : 'none'
    log.record('feedback.delivered', { ...effect.data, delivery })
    deliveries.push(effect.data)
  }
  const render = plainFeedback ? renderFeedbackPlain : renderFeedback
  return render(deliveries) || null
}
