// The opencode adapter: a plugin that asks the daemon, and the daemon's side of it.
import { fileURLToPath } from 'node:url'

export { OPENCODE_CAPABILITIES } from './capabilities.ts'
export { opencode } from './opencode-hooks.ts'

/** The plugin as JavaScript that needs nothing beside it, to be copied into `.opencode/plugin/`. */
export const OPENCODE_PLUGIN_FILE: string = fileURLToPath(new URL('./plugin.js', import.meta.url))
