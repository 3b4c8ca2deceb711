// Sessions with typed slices, deadlines and budgets (specs/library.md).
export {
  Budget,
  type BudgetDimension,
  type BudgetOptions,
  BudgetTracker,
  type Exhaustion,
  type TokenUsage,
} from './budget.ts'
export {
  FeedbackHistory,
  type FeedbackRecord,
  Plan,
  PromptExecuted,
  PromptRendered,
  ToolInvoked,
} from './built-in-slices.ts'
export { Deadline, type DeadlineOptions } from './deadline.ts'
export { Session, type SessionOptions, type SnapshotOptions } from './session.ts'
export type { SessionAccess, Slice } from './session-access.ts'
export {
  append,
  appendAll,
  type DispatchedEvent,
  defineEvent,
  defineSlice,
  type EventOptions,
  type EventType,
  on,
  type Reducer,
  type ReducerBinding,
  replace,
  replaceLatest,
  type SliceChange,
  type SliceDefinition,
  type SliceKind,
  type SliceOptions,
  type SliceView,
  upsertBy,
} from './slice.ts'
export type { SessionSnapshot } from './snapshot.ts'
export type { SessionTransaction } from './transaction.ts'
