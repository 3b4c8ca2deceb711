import { reasonWords } from '@signalbox/core/analysis'

/** Name of a group of stops, without the figures of one of them. */
export function nameGroup({
  verdict,
  code,
}: {
  readonly verdict: string
  readonly code: string
}): string {
  return verdict === 'allowed' ? 'The checks passed' : reasonWords(code)
}
