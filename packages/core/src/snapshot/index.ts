// `@signalbox/core/snapshot`: JSON form of a session's state, to store or to show. Folding and deciding do not need it.
export { restoreState, type StateSnapshot, snapshotState } from './snapshot.ts'
