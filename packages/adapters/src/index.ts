export {
  type Adapter,
  type DaemonHooks,
  type ExaminedPlace,
  type Finding,
  type HookReach,
  type HookWay,
  type InitContent,
  type InitPlace,
  type InitTarget,
  type Scope,
  TOKEN_VARIABLE,
} from './base/adapter.ts'
export { ADAPTERS, HARNESSES } from './registry.ts'
