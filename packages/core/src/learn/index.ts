// Rules that good sessions have in common, from counts that add. A person reads each of them; nothing here changes a config. Loaded only
// where a person or a job asks.
export { addRules } from './add-rules.ts'
export { addCounts, type LearnCounts, NO_COUNTS, subtractCounts } from './counts.ts'
export { COUNTS_VERSION, decodeCounts, encodeCounts } from './counts-bytes.ts'
export { describeEvidence } from './describe-proposal.ts'
export { type Learner, type LearnerOptions, openLearner } from './learner.ts'
export { PATTERN_KINDS, type PatternKind, type PlacedRule } from './pattern.ts'
export {
  hasRule,
  MIN_SESSIONS,
  type Proposal,
  type ProposeOptions,
  propose,
  YOUNG_DAYS,
} from './propose.ts'
export {
  isImplied,
  openProposalTests,
  openTogetherTest,
  type ProposalTests,
  type Tested,
  type TestedProposal,
  type TestOptions,
  type TogetherResult,
  type TogetherTest,
} from './test-proposals.ts'
export { chooseTools } from './tool-table.ts'
