import type { Problem } from '@signalbox/core'

const STATUSES = {
  not_json: 400,
  too_deep: 400,
  body_invalid: 400,
  unauthenticated: 401,
  prompt_forbidden: 403,
  root_forbidden: 403,
  session_unknown: 404,
  path_unknown: 404,
  method_unknown: 405,
  other_body: 409,
  call_unknown: 409,
  call_finished: 409,
  session_broken: 409,
  too_large: 413,
  sessions_full: 429,
} as const

export type AgentProblemCode = keyof typeof STATUSES

/** Refusal of a request, as a client reads it. */
export class AgentProblem extends Error {
  readonly code: AgentProblemCode
  readonly problems: readonly Problem[]

  /** `problems`: wrong or missing fields of the body. */
  constructor(code: AgentProblemCode, detail: string, problems: readonly Problem[] = []) {
    super(detail)
    this.code = code
    this.problems = problems
  }

  get status(): number {
    return STATUSES[this.code]
  }
}
