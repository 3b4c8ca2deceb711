// All problems of a config document beyond its shape: errors, which refuse it, and warnings, which are advice.
import type { CompileOptions } from '../compile-options.ts'
import type { ConfigDocument } from '../config.ts'
import type { Problem } from '../problem.ts'
import { placeDocument } from '../refusal/placed.ts'
import { refusals } from '../refusal/refusals.ts'
import { checkerAdvice, providerAdvice, sectionAdvice } from './advice.ts'

/** Errors first; the same document always gives the same list. */
export function lintConfig(
  document: ConfigDocument,
  options: CompileOptions = {},
): readonly Problem[] {
  const placed = placeDocument(document)
  return [
    ...refusals(document, options),
    ...placed.sections.flatMap(sectionAdvice),
    ...placed.providers.flatMap(providerAdvice),
    ...placed.checkers.flatMap(checkerAdvice),
  ]
}
