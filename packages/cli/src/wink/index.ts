// `@signalbox/cli/wink`: a debug bundle of WINK as an event log (specs/wink-import.md). Command and console share this code, so it also
// runs in browsers: no Node modules.
export { type DebugBundle, readDebugBundle } from './debug-bundle.ts'
export { importedLog, toSessionId } from './imported-log.ts'
export { MAX_ARCHIVE_BYTES } from './read-archive.ts'
export { splitRequests } from './requests.ts'
