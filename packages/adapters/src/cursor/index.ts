// Signalbox for Cursor.
export { CURSOR_CAPABILITIES } from './capabilities.ts'
export { cursor } from './cursor.ts'
export { cursorHooks } from './hooks-file.ts'
