import path from 'node:path'
import type { Adapter } from '../base/adapter.ts'
import { copilot } from './copilot.ts'
import { copilotHooks } from './hooks-file.ts'

export const copilotAdapter: Adapter = {
  name: 'copilot',
  title: 'Copilot CLI',
  asks: 'command hooks',
  peers: [],
  daemon: { hooks: () => copilot, versionFrom: () => null },
  init: {
    program: 'copilot',
    tellsVersion: false,
    hasHttp: false,
    asking: ['preToolUse', 'agentStop'],
    call: { toolName: 'canary' },
    file: (scope, { dir, env, home }) =>
      scope === 'project'
        ? path.join(dir, '.github/hooks/signalbox.json')
        : path.join(env['COPILOT_HOME'] || path.join(home, '.copilot'), 'hooks', 'signalbox.json'),
    content: ({ command }) => ({
      kind: 'hooks',
      hooks: copilotHooks(command),
      base: { version: 1 },
      hasComments: false,
    }),
    afterwards: (scope) =>
      scope === 'project'
        ? ['Copilot CLI runs hooks of a project only in a folder that it trusts.']
        : [],
    examine: async () => [],
  },
}
