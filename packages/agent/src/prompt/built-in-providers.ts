import { type FeedbackProviderDocument, omitUndefined } from '@signalbox/core'
import {
  type DeclaredProvider,
  type FeedbackProviderConfig,
  triggerDocument,
} from './provider-declaration.ts'
import type { RuleScribe } from './rule-scribe.ts'

export interface DeadlineFeedbackOptions {
  /** Remaining seconds at or below which the feedback is a warning. Absent: 120. */
  readonly warningThresholdSeconds?: number
}

/** Reports the remaining time; silent without a deadline. */
export class DeadlineFeedback implements DeclaredProvider {
  readonly #options: DeadlineFeedbackOptions

  constructor(options: DeadlineFeedbackOptions = {}) {
    this.#options = options
  }

  toDocument(scribe: RuleScribe, config: FeedbackProviderConfig): FeedbackProviderDocument {
    const { warningThresholdSeconds: threshold } = this.#options
    return {
      ...scribe.rule('deadline', config),
      type: 'deadline',
      trigger: triggerDocument(config.trigger),
      ...omitUndefined({ warning_threshold_seconds: threshold }),
    }
  }
}

export class StaticFeedbackProvider implements DeclaredProvider {
  readonly #feedback: string

  constructor({ feedback }: { readonly feedback: string }) {
    this.#feedback = feedback
  }

  toDocument(scribe: RuleScribe, config: FeedbackProviderConfig): FeedbackProviderDocument {
    const trigger = triggerDocument(config.trigger)
    return { ...scribe.rule('static', config), type: 'static', trigger, feedback: this.#feedback }
  }
}

export class ToolUsageMonitor implements DeclaredProvider {
  readonly #most: number | undefined

  constructor(options: { readonly maxCallsWithoutProgress?: number } = {}) {
    this.#most = options.maxCallsWithoutProgress
  }

  toDocument(scribe: RuleScribe, config: FeedbackProviderConfig): FeedbackProviderDocument {
    return {
      ...scribe.rule('tool-usage', config),
      type: 'tool_usage',
      trigger: triggerDocument(config.trigger),
      ...omitUndefined({ max_calls_without_progress: this.#most }),
    }
  }
}

export class RepeatedFailureFeedback implements DeclaredProvider {
  readonly #options: { readonly tool?: string; readonly times?: number }

  /** `tool` absent: any tool. `times` absent: 3. */
  constructor(options: { readonly tool?: string; readonly times?: number } = {}) {
    this.#options = options
  }

  toDocument(scribe: RuleScribe, config: FeedbackProviderConfig): FeedbackProviderDocument {
    const { tool, times } = this.#options
    return {
      ...scribe.rule('repeated-failure', config),
      type: 'repeated_failure',
      trigger: triggerDocument(config.trigger),
      ...omitUndefined({ tool, times }),
    }
  }
}

export class RepeatedCallFeedback implements DeclaredProvider {
  readonly #times: number | undefined

  /** `times` absent: 3. */
  constructor(options: { readonly times?: number } = {}) {
    this.#times = options.times
  }

  toDocument(scribe: RuleScribe, config: FeedbackProviderConfig): FeedbackProviderDocument {
    return {
      ...scribe.rule('repeated-call', config),
      type: 'repeated_call',
      trigger: triggerDocument(config.trigger),
      ...omitUndefined({ times: this.#times }),
    }
  }
}
