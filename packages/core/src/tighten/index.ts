// `@signalbox/core/tighten`: whether a version is at least as strict as another, and how a running session takes it over.

export type { StrictnessNote } from '../kinds/judgement.ts'
export {
  digestTakenBy,
  type FindConfig,
  type GovernedState,
  type Governing,
  governedStep,
  type SessionVersions,
  takenWith,
} from './governing.ts'
export { compareStrictness, looserWords } from './strictness.ts'
export { takeOver } from './take-over.ts'
