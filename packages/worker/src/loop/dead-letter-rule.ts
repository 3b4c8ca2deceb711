import { GuardrailError } from '@signalbox/runtime/base'

export type ErrorType = abstract new (...args: never[]) => Error

export interface DeadLetterSettings {
  /** Number of deliveries before a message becomes a dead letter. Default 5. */
  readonly deliveries?: number
  /** Errors for which a retry is useless: the message becomes a dead letter immediately. */
  readonly include?: readonly ErrorType[]
  /** Errors that never make a dead letter, at any number of deliveries. Takes precedence over `include`. */
  readonly exclude?: readonly ErrorType[]
}

const DEFAULT_DELIVERIES = 5

export class DeadLetterRule {
  readonly deliveries: number
  readonly #include: readonly ErrorType[]
  readonly #exclude: readonly ErrorType[]

  /** Throws `bad_options`. */
  constructor({ deliveries = DEFAULT_DELIVERIES, include = [], exclude = [] }: DeadLetterSettings) {
    if (!Number.isInteger(deliveries) || deliveries < 1) {
      const message = `deadLetters.deliveries is ${deliveries}. Use a whole number of at least 1.`
      throw new GuardrailError('bad_options', message)
    }
    this.deliveries = deliveries
    this.#include = include
    this.#exclude = exclude
  }

  /** True: the message was delivered too often, and no error is excluded, so no worker may retry it. */
  isOver(deliveryCount: number): boolean {
    return this.#exclude.length === 0 && deliveryCount > this.deliveries
  }

  isDead(deliveryCount: number, error: unknown): boolean {
    if (isOne(error, this.#exclude)) return false
    return isOne(error, this.#include) || deliveryCount >= this.deliveries
  }
}

function isOne(error: unknown, types: readonly ErrorType[]): boolean {
  return types.some((type) => error instanceof type)
}
