import path from 'node:path'
import type { Adapter } from '../base/adapter.ts'
import { geminiCli } from './gemini-cli.ts'
import { geminiCliHooks } from './hooks-file.ts'

export const geminiCliAdapter: Adapter = {
  name: 'gemini-cli',
  title: 'Gemini CLI',
  asks: 'command hooks',
  peers: [],
  daemon: { hooks: () => geminiCli, versionFrom: () => null },
  init: {
    program: 'gemini',
    tellsVersion: false,
    hasHttp: false,
    asking: ['BeforeTool', 'AfterAgent'],
    call: { hook_event_name: 'BeforeTool' },
    file: (scope, { dir, home }) =>
      path.join(scope === 'project' ? dir : home, '.gemini/settings.json'),
    content: ({ command }) => ({
      kind: 'hooks',
      hooks: geminiCliHooks(command),
      base: {},
      hasComments: true,
    }),
    afterwards: (scope) =>
      scope === 'project'
        ? ['Gemini CLI runs hooks of a project only in a folder that it trusts.']
        : [],
    examine: async () => [],
  },
}
