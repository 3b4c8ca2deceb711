import type { Replacement } from '@signalbox/runtime'

/** Text for the model instead of the result or the error; values other than text as JSON. */
export function toReplacementText({ output, error }: Replacement): string {
  const value = output ?? error ?? null
  return typeof value === 'string' ? value : JSON.stringify(value)
}
