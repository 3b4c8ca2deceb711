import fs from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import type { JsonObject } from '@signalbox/core'
import { type HarnessExit, runHarness } from './harness-process.ts'
import { harnessFile } from './installed-harness.ts'
import { type HarnessLaunch, homeEnvironment } from './launch.ts'

export interface OpencodeLaunch extends HarnessLaunch {
  readonly config?: JsonObject
  readonly plugins?: { readonly [name: string]: string }
}

/** Throws when the program is not installed. */
export function opencodeProgram(): string {
  return harnessFile('second', `opencode-${process.platform}-${process.arch}/bin/opencode`)
}

export function opencodeEnvironment(
  launch: Pick<OpencodeLaunch, 'home' | 'modelUrl' | 'config'>,
): Record<string, string> {
  const { home } = launch
  return {
    ...homeEnvironment(home),
    XDG_CONFIG_HOME: path.join(home, '.config'),
    XDG_DATA_HOME: path.join(home, '.local/share'),
    XDG_STATE_HOME: path.join(home, '.local/state'),
    XDG_CACHE_HOME: path.join(home, '.cache'),
    OPENCODE_CONFIG_CONTENT: JSON.stringify({
      ...createOpencodeConfig(launch.modelUrl),
      ...launch.config,
    }),
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
  }
}

export function prepareOpencode(launch: Pick<OpencodeLaunch, 'home' | 'plugins'>): void {
  const folder = path.join(launch.home, '.config/opencode')
  furnishOpencodeFolder(folder)
  fs.mkdirSync(path.join(folder, 'plugin'), { recursive: true })
  for (const [name, source] of Object.entries(launch.plugins ?? {})) {
    fs.writeFileSync(path.join(folder, 'plugin', name), source)
  }
}

/** Without the plugin package and a lock that names it, opencode would fetch it from the registry. */
export function furnishOpencodeFolder(folder: string): void {
  fs.mkdirSync(folder, { recursive: true })
  const modules = path.join(folder, 'node_modules')
  if (!fs.existsSync(modules)) fs.symlinkSync(harnessFile('second', '.'), modules)
  const dependencies = { '@opencode-ai/plugin': '*' }
  const lock = { lockfileVersion: 3, packages: { '': { dependencies } } }
  fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ dependencies }))
  fs.writeFileSync(path.join(folder, 'package-lock.json'), JSON.stringify(lock))
}

/** Standard output has one JSON event per line. */
export function launchOpencode(launch: OpencodeLaunch): Promise<HarnessExit> {
  prepareOpencode(launch)
  return runHarness({
    ...launch,
    program: opencodeProgram(),
    args: ['run', '--format', 'json', ...(launch.args ?? []), launch.prompt],
    cwd: launch.workspace,
    env: { ...opencodeEnvironment(launch), ...launch.env },
  })
}

function createOpencodeConfig(modelUrl: string): JsonObject {
  return {
    autoupdate: false,
    share: 'disabled',
    enabled_providers: ['scripted'],
    model: 'scripted/scripted-model',
    small_model: 'scripted/scripted-model',
    provider: {
      scripted: {
        npm: '@ai-sdk/openai-compatible',
        name: 'Scripted',
        options: { baseURL: modelUrl, apiKey: 'test-key' },
        models: { 'scripted-model': { name: 'Scripted', tool_call: true } },
      },
    },
  }
}
