// `@signalbox/core/snapshot`: a session's state as JSON, to store or to show. Folding and deciding do not need it.
export { restoreState, type StateSnapshot, snapshotState } from './snapshot.ts'
