import { COULD_NOT_EVALUATE } from '@signalbox/core/analysis'

/** Filter of the list of denied calls. Counts of earlier versions have the decision instead of a reason. */
export function findReasonFilter(code: string): { readonly [name: string]: string } {
  if (code === COULD_NOT_EVALUATE || code === 'error') return { decision: 'error' }
  if (code === 'denied') return { decision: 'denied' }
  return code === '' ? {} : { q: `code:${code}` }
}
