// Answers about every run that a config allows. They take a search, so this is loaded only where a person or a check asks.
export { listProvenProblems } from './advice.ts'
export { type ClaimState, judgeClaim } from './judge-claim.ts'
export { describeNewFaults, findNewFaults } from './new-faults.ts'
export { MOST_UNDER_WAY, type ProveOptions, prove } from './prove.ts'
export type { Answer, Assumed, Question } from './question.ts'
export { findQuestionFault, type QuestionFault } from './question-fault.ts'
export { describeAnswer, describeQuestion, describeTraceEvent } from './sentences.ts'
