import type { CompileOptions } from '../kinds/compile-options.ts'
import type { ConfigDocument } from '../kinds/config.ts'
import { placeDocument } from '../kinds/placed.ts'
import type { Problem } from '../model/problem.ts'
import { checkerAdvice, providerAdvice, sectionAdvice } from './advice.ts'
import { compileChecked } from './compile-checked.ts'
import { withFix } from './fixes.ts'
import { toolAdvice } from './named-tools.ts'
import { orderAdvice } from './order.ts'
import { policyAdvice } from './policy-advice.ts'
import { reachabilityAdvice } from './reachability.ts'
import { exclusiveAdvice, limitAdvice } from './traps.ts'
import { unseenAdvice } from './unseen.ts'

/** Errors first. The same document always gives the same list. */
export function lintConfig(
  document: ConfigDocument,
  options: CompileOptions = {},
): readonly Problem[] {
  const placed = placeDocument(document)
  const problems = [
    ...compileChecked(document, options, placed).problems,
    ...placed.sections.flatMap(sectionAdvice),
    ...placed.policies.flatMap((policy) => policyAdvice(policy.item)?.advice(policy) ?? []),
    ...toolAdvice(placed),
    ...unseenAdvice(document, placed),
    ...orderAdvice(placed.policies),
    ...placed.providers.flatMap(providerAdvice),
    ...exclusiveAdvice(document, placed.providers),
    ...placed.checkers.flatMap(checkerAdvice),
    ...reachabilityAdvice(placed, document.task_completion_checker),
    ...limitAdvice(document, [...placed.policies, ...placed.providers]),
  ]
  return problems.map((problem) => withFix(problem, { document, placed, options }))
}
