// Text from outside is escaped, so that a summary cannot close its block.
import type { FeedbackDelivery } from '../model/effect.ts'

const ENTITIES: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  "'": '&#39;',
  '"': '&quot;',
}

function escaped(text: string): string {
  return text.replace(/[&<>'"]/g, (character) => ENTITIES[character] ?? character)
}

function renderFeedbackBody(delivery: FeedbackDelivery, quote: (text: string) => string): string {
  const groups = [quote(delivery.summary)]
  if (delivery.observations.length > 0) {
    groups.push(
      delivery.observations
        .map((seen) => `• ${quote(seen.category)}: ${quote(seen.description)}`)
        .join('\n'),
    )
  }
  if (delivery.suggestions.length > 0) {
    groups.push(delivery.suggestions.map((text) => `-> ${quote(text)}`).join('\n'))
  }
  return groups.join('\n\n')
}

/** Shadow deliveries are recorded but not shown to the agent. */
function acting(deliveries: readonly FeedbackDelivery[]): readonly FeedbackDelivery[] {
  return deliveries.filter((delivery) => delivery.mode === 'enforce')
}

/** Blocks joined by one empty line; empty if there is nothing for the agent. */
export function renderFeedback(deliveries: readonly FeedbackDelivery[]): string {
  return acting(deliveries)
    .map((delivery) => {
      const name = escaped(delivery.name)
      return `<feedback provider='${name}'>\n${renderFeedbackBody(delivery, escaped)}\n</feedback>`
    })
    .join('\n\n')
}

/** The same text without markup, for harnesses that escape `<` and `>` themselves. */
export function renderFeedbackPlain(deliveries: readonly FeedbackDelivery[]): string {
  return acting(deliveries)
    .map((delivery) => `[${delivery.name}] ${renderFeedbackBody(delivery, (text) => text)}`)
    .join('\n\n')
}
