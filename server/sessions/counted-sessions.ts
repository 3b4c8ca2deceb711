import type { Term } from '@/server/platform/list/filter-grammar.ts'

/** Terms of figures about sessions: nothing was enforced in imported ones. */
export const NOT_IMPORTED: readonly Term[] = [
  { kind: 'text', field: 'imported', words: ['no'], isNegated: false },
]
