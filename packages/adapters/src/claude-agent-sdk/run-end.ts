// Reads the end of a run from the message with which the SDK ends it.
import { isJsonObject } from '@signalbox/core'
import type { SessionEnd } from '@signalbox/runtime'

/**
 * null: the message is not a run's end. A run that reached its turns or its money has given no output and never asked whether it may
 * stop; it failed.
 */
export function runEnd(message: unknown): SessionEnd | null {
  if (!isJsonObject(message) || message['type'] !== 'result') return null
  const { subtype, is_error, result, structured_output, errors } = message
  if (subtype === 'success' && is_error !== true) {
    const output = structured_output ?? result
    return { reason: 'completed', ...(output === undefined ? {} : { output }) }
  }
  const said = Array.isArray(errors) ? errors.filter((error) => typeof error === 'string') : []
  const texts = [subtype === 'success' ? result : subtype, ...said]
  return {
    reason: 'failed',
    error: texts.filter((text) => typeof text === 'string' && text !== '').join(': '),
  }
}
