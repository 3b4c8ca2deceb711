// A request of the agent for permission, as far as the guard answers it and lets the editor answer.
import type { JsonObject, JsonValue } from '@signalbox/core'
import { fields } from './acp-messages.ts'

/** Denies this call and no other: after "never", an agent would refuse what is allowed later. */
export function rejection(options: JsonValue | undefined): JsonObject {
  const reject = optionsIn(options).find(({ kind }) => kind === 'reject_once')
  return reject?.['optionId'] === undefined ? CANCELLED : selected(reject['optionId'])
}

/** Options offered to the editor: "always" would end all requests, and with them the guard. */
export function offered(options: JsonValue | undefined): readonly JsonObject[] {
  return optionsIn(options).filter(({ kind }) => kind !== 'allow_always')
}

/** True when the editor's answer is one of those offered, and allows the call. */
export function allowsOnce(result: JsonObject | null, options: readonly JsonObject[]): boolean {
  const { outcome, optionId } = fields(result?.['outcome'])
  if (outcome !== 'selected') return false
  return options.some(
    (option) => option['optionId'] === optionId && option['kind'] === 'allow_once',
  )
}

/** True when the editor's answer can be forwarded unchanged. */
export function isOffered(result: JsonObject | null, options: readonly JsonObject[]): boolean {
  const { outcome, optionId } = fields(result?.['outcome'])
  if (outcome !== 'selected') return true
  return options.some((option) => option['optionId'] === optionId)
}

export const CANCELLED: JsonObject = { outcome: { outcome: 'cancelled' } }

function selected(optionId: JsonValue): JsonObject {
  return { outcome: { outcome: 'selected', optionId } }
}

function optionsIn(options: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(options) ? options.map(fields) : []
}
