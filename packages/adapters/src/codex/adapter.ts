import fs from 'node:fs'
import path from 'node:path'
import type { Adapter, ExaminedPlace, Finding, InitPlace } from '../base/adapter.ts'
import { codex } from './codex.ts'
import { codexHooks } from './hooks-file.ts'
import { readCodexHooks } from './trust.ts'

function findCodexHome({ env, home }: Pick<InitPlace, 'env' | 'home'>): string {
  return env['CODEX_HOME'] || path.join(home, '.codex')
}

async function examine(place: ExaminedPlace): Promise<readonly Finding[]> {
  const { version, files, dir, command } = place
  if (version === null || files.length === 0) return []
  const codexHome = findCodexHome(place)
  // Codex does not answer for a home folder that does not exist. The folder stores what its user trusts.
  if (!fs.existsSync(codexHome)) {
    const message = `Codex was never started with ${codexHome}, so it skips every Signalbox hook. Start codex here and trust the hooks.`
    return [{ code: 'untrusted', message }]
  }
  const env = { NODE_ENV: 'production', ...place.env } as NodeJS.ProcessEnv
  try {
    const found = await readCodexHooks({ codexHome, cwd: dir, env }, command)
    const skipped = found.hooks.filter(({ trusted }) => !trusted).map(({ event }) => event)
    if (found.hooks.length > 0 && skipped.length === 0) return []
    const what = skipped.length === 0 ? 'every Signalbox hook' : skipped.join(', ')
    return [
      { code: 'untrusted', message: `Codex skips ${what}. Start codex here and trust the hooks.` },
    ]
  } catch {
    const message = 'It is unknown whether Codex trusts the hooks: its app-server did not answer.'
    return [{ code: 'trust_unknown', message }]
  }
}

export const codexAdapter: Adapter = {
  name: 'codex',
  title: 'Codex',
  asks: 'command hooks, session file',
  peers: [],
  daemon: { hooks: () => codex, versionFrom: () => null },
  init: {
    program: 'codex',
    tellsVersion: true,
    hasHttp: false,
    asking: ['PreToolUse', 'Stop', 'SubagentStop'],
    call: { hook_event_name: 'PreToolUse' },
    file: (scope, place) =>
      scope === 'project'
        ? path.join(place.dir, '.codex/hooks.json')
        : path.join(findCodexHome(place), 'hooks.json'),
    content: ({ command }) => ({
      kind: 'hooks',
      hooks: codexHooks(command),
      base: {},
      hasComments: false,
    }),
    afterwards: (scope) => [
      `Codex skips hooks that its user has not trusted. Start codex${scope === 'project' ? ' in this project' : ''} and trust them, then run "signalbox doctor".`,
    ],
    examine,
  },
}
