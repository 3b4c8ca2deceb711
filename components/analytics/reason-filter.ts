import { COULD_NOT_EVALUATE } from '@signalbox/core/analysis'

/** Filter of the list of denied calls with exactly this reason; null: there is none. Counts of earlier versions have the decision as reason. */
export function findReasonFilter(code: string): { readonly [name: string]: string } | null {
  if (code === COULD_NOT_EVALUATE || code === 'error') return { decision: 'error' }
  return ['', 'denied'].includes(code) || code.startsWith('approval.')
    ? null
    : { q: `code:${code}` }
}
