import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Adapter } from '../base/adapter.ts'
import { opencode } from './opencode-hooks.ts'

/** The plugin as a self-contained JavaScript file, to be copied into `.opencode/plugin/`. */
export const OPENCODE_PLUGIN_FILE: string = fileURLToPath(new URL('./plugin.js', import.meta.url))

export const opencodeAdapter: Adapter = {
  name: 'opencode',
  title: 'opencode',
  asks: 'plugin',
  peers: [],
  daemon: { hooks: () => opencode, versionFrom: () => null },
  init: {
    program: 'opencode',
    tellsVersion: true,
    hasHttp: false,
    asking: [],
    call: { kind: 'before' },
    file: (scope, { dir, env, home }) =>
      scope === 'project'
        ? path.join(dir, '.opencode/plugin/signalbox.js')
        : path.join(
            env['XDG_CONFIG_HOME'] || path.join(home, '.config'),
            'opencode/plugin/signalbox.js',
          ),
    content: () => ({
      kind: 'whole',
      text: fs.readFileSync(OPENCODE_PLUGIN_FILE, 'utf8'),
      mark: 'Signalbox daemon',
    }),
    afterwards: (_, { socket }) =>
      socket === null ? [] : [`Start opencode with SIGNALBOX_SOCKET='${socket}'.`],
    examine: async () => [],
  },
}
