import fs from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import type { JsonObject } from '@signalbox/core'

import { trustHooks } from './codex-trust.ts'
import { type HarnessExit, runHarness } from './harness-process.ts'
import { harnessFile } from './installed-harness.ts'
import { type HarnessLaunch, homeEnvironment } from './launch.ts'

export interface CodexLaunch extends HarnessLaunch {
  /** Written to hooks.json in the home: `{"hooks": {"PreToolUse": […]}}`. */
  readonly hooks?: JsonObject
  /** False: the hooks stay untrusted, and Codex skips them silently. Absent: they are trusted. */
  readonly trusted?: boolean
  /** TOML tables added to config.toml, e.g. `[mcp_servers.files]`. Single keys go into `args` as `-c key=value`. */
  readonly tables?: string
}

const TARGETS: { readonly [platform: string]: string } = {
  'linux-x64': 'x86_64-unknown-linux-musl',
  'linux-arm64': 'aarch64-unknown-linux-musl',
  'darwin-x64': 'x86_64-apple-darwin',
  'darwin-arm64': 'aarch64-apple-darwin',
}

/** Throws when the program is not installed. */
export function codexProgram(): string {
  const platform = `${process.platform}-${process.arch}`
  return harnessFile('first', `@openai/codex-${platform}/vendor/${TARGETS[platform]}/bin/codex`)
}

export function codexEnvironment(home: string): Record<string, string> {
  return {
    // Codex puts helper programs such as apply_patch into its home, unless the home is in the temporary folder.
    ...homeEnvironment(home),
    CODEX_HOME: codexHome(home),
    SCRIPTED_MODEL_KEY: 'test-key',
  }
}

/** `launchCodex` calls it. */
export async function prepareCodex(launch: Omit<CodexLaunch, 'prompt'>): Promise<void> {
  const home = codexHome(launch.home)
  fs.mkdirSync(home, { recursive: true })
  fs.writeFileSync(path.join(home, 'config.toml'), configToml(launch))
  if (launch.hooks === undefined) return
  fs.writeFileSync(path.join(home, 'hooks.json'), JSON.stringify(launch.hooks))
  if (launch.trusted === false) return
  const env = codexEnvironment(launch.home)
  await trustHooks({ ...launch, program: codexProgram(), env, codexHome: home })
}

/** Standard output has one JSON item per line. */
export async function launchCodex(launch: CodexLaunch): Promise<HarnessExit> {
  await prepareCodex(launch)
  return runHarness({
    ...launch,
    program: codexProgram(),
    args: ['exec', '--json', '--skip-git-repo-check', ...(launch.args ?? []), '-'],
    cwd: launch.workspace,
    env: { ...codexEnvironment(launch.home), ...launch.env },
    stdin: launch.prompt,
  })
}

function codexHome(home: string): string {
  return path.join(home, '.codex')
}

/** Names a model that Codex knows, because Codex assumes that an unknown one has no apply_patch. */
function configToml({ modelUrl, workspace, tables = '' }: Omit<CodexLaunch, 'prompt'>): string {
  return `model = "gpt-5.5"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[analytics]
enabled = false

[tools.update_plan]
enabled = true

[model_providers.scripted]
name = "scripted"
base_url = ${JSON.stringify(modelUrl)}
wire_api = "responses"
env_key = "SCRIPTED_MODEL_KEY"
request_max_retries = 0
stream_max_retries = 0
supports_websockets = false

[projects.${JSON.stringify(workspace)}]
trust_level = "trusted"

${tables}
`
}
