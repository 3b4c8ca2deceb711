// A run that may not go on or may not count as done, raised to whoever runs the prompt.

/** `request`: before the model was asked; `tool`: while a tool was to run; `budget`: it is used up; `response`: the result. */
export type EvaluationPhase = 'request' | 'tool' | 'budget' | 'response'

export class PromptEvaluationError extends Error {
  readonly promptName: string
  readonly phase: EvaluationPhase

  constructor(
    message: string,
    details: {
      readonly promptName: string
      readonly phase: EvaluationPhase
      readonly cause?: unknown
    },
  ) {
    super(message, { cause: details.cause })
    this.name = 'PromptEvaluationError'
    this.promptName = details.promptName
    this.phase = details.phase
  }
}
