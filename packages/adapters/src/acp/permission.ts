import type { JsonObject, JsonValue } from '@signalbox/core'
import { fields } from './acp-messages.ts'

/** Denies only this call: after "never", an agent would also refuse calls that are allowed later. */
export function rejection(options: JsonValue | undefined): JsonObject {
  const reject = optionsIn(options).find(({ kind }) => kind === 'reject_once')
  return reject?.['optionId'] === undefined ? CANCELLED : selected(reject['optionId'])
}

/** Options for the editor, without "always": it would end all requests, and so bypass the guard. */
export function offered(options: JsonValue | undefined): readonly JsonObject[] {
  return optionsIn(options).filter(({ kind }) => kind !== 'allow_always')
}

/** True: the editor chose an offered option that allows the call once. */
export function allowsOnce(result: JsonObject | null, options: readonly JsonObject[]): boolean {
  const { outcome, optionId } = fields(result?.['outcome'])
  if (outcome !== 'selected') return false
  return options.some(
    (option) => option['optionId'] === optionId && option['kind'] === 'allow_once',
  )
}

/** True: the editor's answer can be forwarded unchanged. */
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
