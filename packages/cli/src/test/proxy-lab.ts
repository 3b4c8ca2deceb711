import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { ConfigDocument, SessionEvent } from '@signalbox/core'
import { build } from 'esbuild'

const ADAPTERS = path.join(import.meta.dirname, '../../../adapters/src')

const CHECK_FIRST: ConfigDocument = {
  schema_version: 1,
  ns: 'team',
  key: 'coder',
  policies: [
    { id: 'order', type: 'sequential_dependency', dependencies: { write_file: ['check'] } },
  ],
  feedback_providers: [
    { id: 'hint', type: 'static', trigger: { every_n_calls: 1 }, feedback: 'Keep it short.' },
  ],
}

export interface ProxyLab {
  readonly folder: string
  readonly workspace: string
  readonly source: readonly string[]
  readonly events: () => readonly SessionEvent[]
  remove(): void
}

export function makeProxyLab(config: ConfigDocument = CHECK_FIRST): ProxyLab {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-proxy-'))
  const workspace = path.join(folder, 'workspace')
  fs.mkdirSync(workspace)
  const [rules, events] = ['config.json', 'events.jsonl'].map((name) => path.join(folder, name))
  fs.writeFileSync(`${rules}`, JSON.stringify(config))
  return {
    folder,
    workspace,
    source: ['--config', `${rules}`, '--events', `${events}`],
    events: () =>
      fs.existsSync(`${events}`)
        ? fs
            .readFileSync(`${events}`, 'utf8')
            .split('\n')
            .slice(0, -1)
            .map((line) => JSON.parse(line))
        : [],
    remove: () => fs.rmSync(folder, { recursive: true, force: true }),
  }
}

export function builtToolServer(folder: string): Promise<string> {
  return bundled('mcp/test/stdio-tool-server.ts', path.join(folder, 'server.mjs'))
}

export function builtAgent(folder: string): Promise<string> {
  return bundled('acp/test/stdio-agent.ts', path.join(folder, 'agent.mjs'))
}

async function bundled(source: string, outfile: string): Promise<string> {
  await build({
    entryPoints: [path.join(ADAPTERS, source)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)",
    },
  })
  return outfile
}
