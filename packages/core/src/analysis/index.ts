// `@signalbox/core/analysis`: explains sessions and rules to people, computed with the same `step` (specs/analysis.md).

export { decidingCheck } from '../engine/decide-stop.ts'
export type { AllowStep, ReasonBasis } from '../kinds/base/policy-reason.ts'
export { MOST_TITLES } from '../kinds/checkers/checker.ts'
export type { UnblockAction, UnblockStep } from '../kinds/checkers/unblock-step.ts'
export { checkerRule, describeChecker } from '../kinds/checkers.ts'
export { contentKindLabel, describeContent } from '../kinds/content/content-words.ts'
export type { AdvisedAct } from '../kinds/feedback/provider-rule.ts'
export { describeTrigger, TRIGGER_WORDS } from '../kinds/feedback/trigger.ts'
export { describeProvider, PROVIDER_WORDS } from '../kinds/feedback.ts'
export type { RateView, SequenceView } from '../kinds/policies/policy-rule.ts'
export { describePolicy, explainPolicy, plainWords, policyReason } from '../kinds/policies.ts'
export { REDACTION_KINDS, REDACTION_WORDS } from '../kinds/redaction.ts'
export {
  countText,
  percentText,
  plural,
  pluralize,
  secondsText,
  shareText,
  timesText,
} from '../model/count-text.ts'
export { endSentence } from '../model/end-sentence.ts'
export {
  type EventBody,
  type EventLook,
  type EventSign,
  findEventLook,
  type Tone,
} from '../model/event.ts'
export { COULD_NOT_EVALUATE, reasonWords } from '../model/reason-words.ts'
export {
  type BacktestDifference,
  type BacktestStep,
  backtestSession,
  FOLDED_EVENT_TYPES,
  isHidden,
  type OpenBacktest,
  openBacktest,
  type SessionBacktest,
} from './backtest/backtest-session.ts'
export { addBacktest, type BacktestTotals, NO_BACKTESTS } from './backtest/backtest-totals.ts'
export {
  type Fidelity,
  type FidelityReason,
  type RuleFidelity,
  rulesWithoutFacts,
} from './backtest/fidelity.ts'
export {
  NO_VERDICTS,
  type ReplayedVerdict,
  type VerdictClass,
  type Verdicts,
} from './backtest/verdicts.ts'
export { type DecisionDifference, decisionDifferences } from './base/decision-difference.ts'
export {
  callSentence,
  contentSentence,
  decisionSentence,
  isShadowDenial,
  ruleSentence,
  shadowSentence,
} from './base/sentences.ts'
export { checkSentence, stopSentence, wouldBlock } from './base/stop-sentences.ts'
export { type ConfigChange, changesAsText, describeOrigin, diffConfigs } from './config-changes.ts'
export type { Change } from './counterfactual/change.ts'
export { type Counterfactual, counterfactual } from './counterfactual/counterfactual.ts'
export { releasingChecks } from './counterfactual/releasing-checks.ts'
export { type Remedy, remedies } from './counterfactual/remedies.ts'
export {
  anomalyBreach,
  type Breach,
  enforcementGaps,
  lapseBreach,
  looserBreach,
  type Severity,
  type Shortfall,
} from './enforcement.ts'
export { shortfallSentence } from './enforcement-sentences.ts'
export { ENGINE_VERSION } from './engine-version.ts'
export { evaluateAll } from './evaluate-all.ts'
export type { EventFact, FactValue } from './event-fact.ts'
export {
  type EventSummary,
  listEventFacts,
  summarizeEvent,
} from './event-kinds.ts'
export type { Cause, CauseRole } from './explain/cause.ts'
export {
  type ExplainedCheck,
  type ExplainedProvider,
  type ExplainedRule,
  type Explanation,
  explain,
} from './explain/explain.ts'
export { findDecision } from './explain/find-decision.ts'
export { foldedPart } from './folded-part.ts'
export { type OpenCall, openCalls } from './open-calls.ts'
export { allowSteps } from './reading/allow-steps.ts'
export { type CheckNode, checkNode } from './reading/check-node.ts'
export { callReading, type DecisionReading, stopReading } from './reading/reading.ts'
export { type ReplayedEffect, replay, stateAt } from './replay.ts'
export { conditionSettler } from './settle-conditions.ts'
export { changedParts, type StatePart } from './state-changes.ts'
export { type OutlookCheck, type StopOutlook, stopOutlook } from './stop-outlook.ts'
export {
  type AttemptFacts,
  openChecks,
  openItems,
  progressSentence,
  type StopProgress,
  stopProgress,
} from './stop-progress.ts'
export { type UnblockPlan, unblock } from './unblock/unblock.ts'
export {
  type Divergence,
  type DivergenceCause,
  type ExpectedDecision,
  restoreVerification,
  type SessionVerification,
  snapshotVerification,
  startVerification,
  type Verification,
  type VerificationSnapshot,
  type VerifiedEvent,
  verifyEvent,
  verifySession,
} from './verify.ts'
export { type StateView, type TriggerView, viewState } from './view-state.ts'
