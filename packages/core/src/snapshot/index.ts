// `@signalbox/core/snapshot`: a session's state as JSON, for whoever keeps it or shows it. Folding and deciding need it not.
export { restoreState, type StateSnapshot, snapshotState } from './snapshot.ts'
