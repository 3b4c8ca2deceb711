import { createHash } from 'node:crypto'
import type { JsonObject, RedactionRuleDocument } from '@signalbox/core'
import { isJsonObject } from '@signalbox/core'
import { MAX_REDACTED_ENTRIES, type Redact, redactor as redactorOf } from '@signalbox/wire'
import { GuardrailError } from '../base/guardrail-error.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** `secrets` are literal values of this process, such as the API key, that must never appear. */
export function redactor(
  rules: readonly RedactionRuleDocument[],
  secrets: readonly string[],
): Redact {
  return redactorOf(rules, secrets, sha256)
}

/** A value that is not an object is stored under `$value`. Throws if names of arguments would be lost, because rules that need them could not decide. */
export function redactedArgs(redact: Redact, args: unknown): JsonObject {
  const value = redact(args)
  if (!isJsonObject(value)) return value === null ? {} : { $value: value }
  const names = typeof args === 'object' && args !== null ? Object.keys(args).length : 0
  if (names > MAX_REDACTED_ENTRIES || '$truncated' in value)
    throw new GuardrailError('args_too_large', 'The call has too many arguments to evaluate.')
  return value
}
