import type { ContentKind } from './content-rule.ts'

const KNOWN = {
  secrets: true,
  pii: true,
  pattern: true,
  size: true,
} as const satisfies { readonly [Kind in ContentKind]: true }

/** In the order in which the editor offers them. Object.keys is typed as a list of strings. */
export const CONTENT_KINDS = Object.keys(KNOWN) as readonly ContentKind[]
