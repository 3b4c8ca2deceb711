// `@signalbox/core/lint`: the problems of a config document, and the entry point that compiles only documents without errors.

export { calibrationProblems, LEASE_DEFAULTS } from '../model/lease-calibration.ts'
export { type CheckedResult, compileChecked } from './compile-checked.ts'
export { lintConfig } from './lint-config.ts'
export { listToolPlaces } from './named-tools.ts'
export { nearestName } from './nearest-name.ts'
export { listCheckerPlaces, listRulePlaces } from './rule-places.ts'
