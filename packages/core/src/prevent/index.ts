// The smallest change that would have refused one call or stop, and nothing in good sessions. Loaded only where a user asks.
export type { Candidate, Findings } from './candidate.ts'
export type { CandidateKind } from './draft.ts'
export { applyEdit, type Edit, mayApply } from './edit.ts'
export type { IncidentFault } from './incident.ts'
export { type CandidateOptions, type OpenedPrevent, openPrevent, type Prevent } from './prevent.ts'
export { describeEvidence, describeFault, describeNoAnswer } from './sentences.ts'
export { findUnfit, type Unfit } from './unfit.ts'
export {
  backtestGood,
  type GoodBacktest,
  isStopped,
  type Marked,
  type VerifiedCandidate,
  verifyCandidate,
} from './verify.ts'
