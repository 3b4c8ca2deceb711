// `@signalbox/core/host`: what a process needs around the decisions that it applies: the rule types of this build, the facts of an event, the
// content of its calls, and the text of feedback. Folding and deciding do not need it.
export { judgeResult } from '../engine/judge-result.ts'
export { isNextOrder, rememberOrder } from '../engine/session-control.ts'
export { listLeaves } from '../kinds/checkers/checker.ts'
export { CHECKER_TYPES } from '../kinds/checkers.ts'
export { CONTENT_KINDS } from '../kinds/content/content-kinds.ts'
export { canKeep, replacesResult } from '../kinds/content/content-rule.ts'
export {
  concludeContent,
  judgeContent,
  listMasking,
  withheldText,
} from '../kinds/content/judge-content.ts'
export { durationText } from '../kinds/feedback/duration.ts'
export { PROVIDER_TYPES } from '../kinds/feedback.ts'
export { POLICY_TYPES } from '../kinds/policies.ts'
export { normalizePath } from '../model/path.ts'
export { factsNeeded } from './facts-needed.ts'
export { renderFeedback, renderFeedbackPlain } from './render-feedback.ts'
