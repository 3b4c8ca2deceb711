// `@signalbox/core/tighten`: compares the strictness of two versions, and moves running sessions to the stricter one.

export type { StrictnessNote } from '../kinds/base/judgment.ts'
export {
  digestTakenBy,
  type FindConfig,
  type GovernedState,
  type Governing,
  governedStep,
  type SessionVersions,
} from './governing.ts'
export { findOwnPointer, findRuleOrigins, inheritConfig } from './inherit.ts'
export { compareStrictness, looserWords } from './strictness.ts'
export { takeOver } from './take-over.ts'
export { takenWith } from './taken-with.ts'
