import { LEASE_DEFAULTS } from '@signalbox/core/lint'
import type { OnDiagnostic } from '@signalbox/runtime/base'
import { GuardrailError } from '@signalbox/runtime/base'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { MailboxOptions, ReceiveOptions } from './mailbox.ts'

const NAME = /^[A-Za-z0-9_-]{1,64}$/

export interface MailboxSettings<Body> {
  readonly name: string
  readonly visibilitySeconds: number
  readonly schema: StandardSchemaV1<unknown, Body> | undefined
  readonly now: () => number
  readonly report: OnDiagnostic
}

/** Throws `bad_options`. */
export function mailboxSettings<Body>(options: MailboxOptions<Body>): MailboxSettings<Body> {
  const { name, visibilitySeconds = LEASE_DEFAULTS.visibility_timeout, schema } = options
  if (!NAME.test(name)) {
    throw new GuardrailError(
      'bad_options',
      `The mailbox name "${name}" cannot be used. Use up to 64 letters, digits, "_" and "-".`,
    )
  }
  return {
    name,
    visibilitySeconds: moreThanZero(visibilitySeconds, 'visibilitySeconds'),
    schema,
    now: options.now ?? Date.now,
    report: options.report ?? (() => undefined),
  }
}

export interface ReceiveSettings {
  readonly max: number
  readonly visibilitySeconds: number
  readonly waitSeconds: number
  readonly signal: AbortSignal | undefined
}

/** Throws `bad_options`. */
export function receiveSettings(
  { max = 1, visibilitySeconds, waitSeconds = 0, signal }: ReceiveOptions,
  ownVisibilitySeconds: number,
): ReceiveSettings {
  if (!Number.isInteger(max) || max < 1) {
    throw new GuardrailError('bad_options', `max is ${max}. Use a whole number of at least 1.`)
  }
  return {
    max,
    visibilitySeconds: moreThanZero(visibilitySeconds ?? ownVisibilitySeconds, 'visibilitySeconds'),
    waitSeconds: zeroOrMore(waitSeconds, 'waitSeconds'),
    signal,
  }
}

/** Throws `bad_options`. */
export function moreThanZero(seconds: number, name: string): number {
  if (Number.isFinite(seconds) && seconds > 0) return seconds
  throw new GuardrailError(
    'bad_options',
    `${name} is ${seconds}. Use a number of seconds greater than 0.`,
  )
}

/** Throws `bad_options`. */
export function zeroOrMore(seconds: number, name: string): number {
  if (Number.isFinite(seconds) && seconds >= 0) return seconds
  throw new GuardrailError(
    'bad_options',
    `${name} is ${seconds}. Use a number of seconds, 0 or more.`,
  )
}
