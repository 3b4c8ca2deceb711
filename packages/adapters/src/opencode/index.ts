// The opencode adapter: a plugin that asks the daemon, and the daemon's side of it.
export { OPENCODE_PLUGIN_FILE } from './adapter.ts'
export { OPENCODE_CAPABILITIES } from './capabilities.ts'
export { opencode } from './opencode-hooks.ts'
