import { COULD_NOT_EVALUATE } from '@signalbox/core/analysis'

/** Filter of the list of denied calls with exactly this reason; null: there is none. */
export function findReasonFilter(code: string): { readonly [name: string]: string } | null {
  if (code === COULD_NOT_EVALUATE) return { decision: 'error' }
  return code === '' || code.startsWith('approval.') ? null : { q: `code:${code}` }
}
