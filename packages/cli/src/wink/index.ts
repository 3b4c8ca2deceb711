// Command and console share this code, so it also runs in browsers: no Node modules (specs/wink-import.md).
export { type DebugBundle, readDebugBundle } from './debug-bundle.ts'
export { importedLog, toSessionId } from './imported-log.ts'
export { MAX_ARCHIVE_BYTES } from './read-archive.ts'
export { splitRequests } from './requests.ts'
