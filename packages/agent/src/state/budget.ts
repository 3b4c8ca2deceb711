import { GuardrailError } from '@signalbox/runtime/base'
import type { Deadline } from './deadline.ts'

export interface BudgetOptions {
  /** Tokens; positive whole numbers. Absent: no limit. */
  readonly maxTotalTokens?: number
  readonly maxInputTokens?: number
  readonly maxOutputTokens?: number
  readonly deadline?: Deadline
}

export class Budget {
  readonly maxTotalTokens: number | null
  readonly maxInputTokens: number | null
  readonly maxOutputTokens: number | null
  readonly deadline: Deadline | null

  /** Throws GuardrailError `bad_options` without any limit, or for a limit that is not positive. */
  constructor(options: BudgetOptions) {
    this.maxTotalTokens = checkLimit('maxTotalTokens', options.maxTotalTokens)
    this.maxInputTokens = checkLimit('maxInputTokens', options.maxInputTokens)
    this.maxOutputTokens = checkLimit('maxOutputTokens', options.maxOutputTokens)
    this.deadline = options.deadline ?? null
    const limits = [this.maxTotalTokens, this.maxInputTokens, this.maxOutputTokens, this.deadline]
    if (limits.every((limit) => limit === null))
      throw new GuardrailError('bad_options', 'A budget needs at least one limit.')
  }
}

function checkLimit(name: string, limit: number | undefined): number | null {
  if (limit === undefined) return null
  if (!Number.isInteger(limit) || limit <= 0)
    throw new GuardrailError('bad_options', `${name} must be a positive whole number of tokens.`)
  return limit
}

export interface TokenUsage {
  readonly input: number
  readonly output: number
  /** Absent: input + output. */
  readonly total?: number
}

export type BudgetDimension = 'deadline' | 'total_tokens' | 'input_tokens' | 'output_tokens'

export interface Exhaustion {
  readonly dimension: BudgetDimension
  /** Tokens; milliseconds past the deadline for `deadline`. */
  readonly used: number
  /** Tokens; 0 for `deadline`. */
  readonly limit: number
}

const NOTHING: Required<TokenUsage> = { input: 0, output: 0, total: 0 }

export class BudgetTracker {
  readonly budget: Budget
  readonly #evaluations = new Map<string, Required<TokenUsage>>()

  constructor(budget: Budget) {
    this.budget = budget
  }

  /** Throws GuardrailError `invalid_value` for counts that are negative or not whole. */
  record(evaluationId: string, usage: TokenUsage): void {
    const { input, output, total = input + output } = usage
    if (![input, output, total].every((count) => Number.isInteger(count) && count >= 0))
      throw new GuardrailError('invalid_value', 'Token counts are whole numbers from 0.')
    this.#evaluations.set(evaluationId, { input, output, total })
  }

  get usage(): Required<TokenUsage> {
    return [...this.#evaluations.values()].reduce(
      (sum, { input, output, total }) => ({
        input: sum.input + input,
        output: sum.output + output,
        total: sum.total + total,
      }),
      NOTHING,
    )
  }

  /** First dimension at or over its limit; null: all are below. */
  check(): Exhaustion | null {
    const { deadline, maxTotalTokens, maxInputTokens, maxOutputTokens } = this.budget
    if (deadline?.passed) return { dimension: 'deadline', used: 0 - deadline.remaining(), limit: 0 }
    const usage = this.usage
    const dimensions = [
      ['total_tokens', usage.total, maxTotalTokens],
      ['input_tokens', usage.input, maxInputTokens],
      ['output_tokens', usage.output, maxOutputTokens],
    ] as const
    for (const [dimension, used, limit] of dimensions) {
      if (limit !== null && used >= limit) return { dimension, used, limit }
    }
    return null
  }
}
