// The text does not depend on omitted fields.
import type { FeedbackDelivery } from '@signalbox/core'
import { parseEvent } from '@signalbox/wire'
import type { RenderVector } from './vector-file.ts'

const LEFT_OUT = {
  provider: 'any',
  name: 'Any',
  pointer: '/feedback_providers/0',
  mode: 'enforce',
  conditions: ['every_n_calls'],
  severity: 'info',
  observations: [],
  suggestions: [],
  call_index: 1,
  prompt: 'v:p',
  call_id: 'c1',
  delivery: 'none',
}

/** Throws on a delivery that cannot be recorded as an event. */
export function readDeliveries(
  deliveries: RenderVector['deliveries'],
): readonly FeedbackDelivery[] {
  return deliveries.map((given) => {
    const data = { ...LEFT_OUT, ...given }
    const parsed = parseEvent({
      session: 'sess_vector',
      seq: 1,
      at: 0,
      type: 'feedback.delivered',
      data,
    })
    if (parsed.ok && parsed.known && parsed.event.type === 'feedback.delivered') {
      return parsed.event.data
    }
    throw new Error(`not a delivery: ${JSON.stringify(given)}`)
  })
}
