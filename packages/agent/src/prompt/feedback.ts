import type { FeedbackDelivery, Observation, Severity } from '@signalbox/core'
import { renderFeedback, renderFeedbackPlain } from '@signalbox/core/host'
import type { FeedbackRecord } from '../state/built-in-slices.ts'

export interface FeedbackOptions {
  readonly providerName: string
  readonly summary: string
  readonly observations?: readonly Observation[]
  readonly suggestions?: readonly string[]
  /** Absent: `info`. */
  readonly severity?: Severity
}

export interface FeedbackPlace {
  /** Epoch milliseconds. */
  readonly timestamp: number
  /** Number of finished calls of the prompt at that time. */
  readonly callIndex: number
  readonly promptName: string
}

export class Feedback {
  readonly providerName: string
  readonly summary: string
  readonly observations: readonly Observation[]
  readonly suggestions: readonly string[]
  readonly severity: Severity
  /** null: not delivered. */
  readonly delivered: FeedbackPlace | null

  constructor(options: FeedbackOptions, delivered: FeedbackPlace | null = null) {
    this.providerName = options.providerName
    this.summary = options.summary
    this.observations = options.observations ?? []
    this.suggestions = options.suggestions ?? []
    this.severity = options.severity ?? 'info'
    this.delivered = delivered
  }

  static fromRecord(record: FeedbackRecord): Feedback {
    const { at: timestamp, callIndex, promptName } = record
    return new Feedback(record, { timestamp, callIndex, promptName })
  }

  /** Renders a tagged block; text from outside is escaped. */
  render(): string {
    return renderFeedback([this.#delivery()])
  }

  /** Renders without markup, for harnesses that escape it. */
  renderPlain(): string {
    return renderFeedbackPlain([this.#delivery()])
  }

  /** Core renders deliveries, so fields that it does not print stay empty. */
  #delivery(): FeedbackDelivery {
    const { providerName: name, severity, summary, observations, suggestions } = this
    const place = { pointer: '', conditions: [], call_index: 0, prompt: '', call_id: '' }
    const advice = { severity, summary, observations, suggestions }
    return { ...place, ...advice, provider: name, name, mode: 'enforce' }
  }
}
