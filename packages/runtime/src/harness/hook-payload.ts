import { isJsonObject, type JsonObject, type JsonValue } from '@signalbox/core'
import { HookPayloadError } from './hook-harness.ts'

export class HookPayload {
  readonly #fields: JsonObject

  /** Throws HookPayloadError if the payload is not a JSON object. */
  constructor(payload: unknown) {
    if (!isJsonObject(payload)) throw new HookPayloadError('The payload is not a JSON object')
    this.#fields = payload
  }

  /** undefined: the field is absent. */
  value(name: string): JsonValue | undefined {
    return Object.hasOwn(this.#fields, name) ? this.#fields[name] : undefined
  }

  /** Throws HookPayloadError unless the field is text and not empty. */
  text(name: string): string {
    const value = this.optionalText(name)
    if (value === undefined) throw new HookPayloadError(`The payload has no text in '${name}'`)
    return value
  }

  /** undefined: absent, null or empty. Throws HookPayloadError if the field is not text. */
  optionalText(name: string): string | undefined {
    const value = this.value(name)
    if (value === undefined || value === null || value === '') return undefined
    if (typeof value !== 'string')
      throw new HookPayloadError(`The payload's '${name}' is not text but ${describeKind(value)}`)
    return value
  }
}

function describeKind(value: JsonValue): string {
  return Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`
}
