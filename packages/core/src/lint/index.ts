// `@signalbox/core/lint`: problems of a config document, forms of its rules, and compilation of documents without errors.

export { DEFAULT_MAX_STOP_BLOCKS } from '../engine/compile.ts'
export {
  EXPRESSION_FUNCTIONS,
  EXPRESSION_VARIABLES,
  type ExpressionField,
  type ExpressionPlace,
  listVariables,
} from '../kinds/base/expression-names.ts'
export type { FormField } from '../kinds/base/rule-words.ts'
export { CHECKER_FORMS } from '../kinds/forms/checkers.ts'
export { CONTENT_FORMS } from '../kinds/forms/content.ts'
export { PROVIDER_FORMS } from '../kinds/forms/feedback.ts'
export { POLICY_FORMS } from '../kinds/forms/policies.ts'
export { placeDocument } from '../kinds/placed.ts'
export { REDACTION_FORM } from '../kinds/redaction.ts'
export { calibrationProblems, LEASE_DEFAULTS } from '../model/lease-calibration.ts'
export { type CheckedResult, compileChecked } from './compile-checked.ts'
export { lintConfig } from './lint-config.ts'
export { listToolPlaces } from './named-tools.ts'
export { nearestName } from './nearest-name.ts'
export { listCheckerPlaces, listRulePlaces, longestApprovalSeconds } from './rule-places.ts'
