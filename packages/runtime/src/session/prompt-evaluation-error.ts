/** `request`: before the model was called; `tool`: at a tool call; `budget`: it is exhausted; `response`: the result. */
export type EvaluationPhase = 'request' | 'tool' | 'budget' | 'response'

export class PromptEvaluationError extends Error {
  readonly promptName: string
  readonly phase: EvaluationPhase
  /** Feedback for the agent on the call that ended with this error; null: none. */
  readonly feedback: string | null

  constructor(
    message: string,
    details: {
      readonly promptName: string
      readonly phase: EvaluationPhase
      readonly cause?: unknown
      readonly feedback?: string | null
    },
  ) {
    super(message, { cause: details.cause })
    this.name = 'PromptEvaluationError'
    this.promptName = details.promptName
    this.phase = details.phase
    this.feedback = details.feedback ?? null
  }

  with(feedback: string | null): PromptEvaluationError {
    if (feedback === null) return this
    const { message, promptName, phase } = this
    return new PromptEvaluationError(message, { promptName, phase, cause: this, feedback })
  }
}
