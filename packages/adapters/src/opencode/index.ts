export { OPENCODE_PLUGIN_FILE } from './adapter.ts'
export { OPENCODE_CAPABILITIES } from './capabilities.ts'
export { opencode } from './opencode-hooks.ts'
