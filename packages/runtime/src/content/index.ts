// `@signalbox/runtime/content`: detectors of content rules. Loaded only for a session whose config has such a rule.
export { inspect } from './inspect.ts'
export type { Inspected } from './inspected.ts'
export { replaceFound } from './replace.ts'
