// What there is to say of one harness on this machine: its version, whether its hooks are live, what they come to.
import fs from 'node:fs'
import path from 'node:path'
import { HARNESSES } from '@signalbox/adapters'
import { readCodexHooks } from '@signalbox/adapters/codex'
import type { JsonValue } from '@signalbox/core'
import { enforcementGaps, shortfallSentence } from '@signalbox/core/analysis'
import type { HarnessCapabilities } from '@signalbox/runtime'
import { capabilitiesRecord } from '@signalbox/runtime/harness'
import type { DaemonPaths } from '../daemon/daemon-paths.ts'
import { readToken } from '../daemon/private-files.ts'
import { versionOf } from '../init/init-command.ts'
import { ourHooks } from '../init/merge-hooks.ts'
import { readSettings } from '../init/settings-file.ts'
import { type Scope, type Target, TOKEN_VARIABLE } from '../init/targets.ts'
import { shimCall } from '../shim/write-shim.ts'
import type { Surroundings } from '../surroundings.ts'
import { type CanaryResult, type HookRoute, sendCanary } from './canary.ts'

export interface Finding {
  readonly code: string
  /** One sentence, with what to do. */
  readonly message: string
}

export interface Examined {
  readonly harness: string
  /** null: the program is not on PATH. */
  readonly version: string | null
  /** Files with our hooks. */
  readonly files: readonly string[]
  readonly can: readonly string[]
  readonly cannot: readonly string[]
  readonly findings: readonly Finding[]
}

export interface Examination {
  /** The project's folder, absolute. */
  readonly dir: string
  readonly paths: DaemonPaths
  readonly around: Surroundings
}

interface Installed {
  readonly file: string
  readonly scope: Scope
  readonly routes: readonly HookRoute[]
  /** Events that have no hook of ours and should. */
  readonly missing: readonly string[]
}

const SCOPES = ['project', 'user'] as const

/** Throws Unusable when a settings file cannot be read. */
export async function examine(target: Target, examination: Examination): Promise<Examined> {
  const version = await versionOf(target.program, examination.around)
  const installed = SCOPES.flatMap((scope) => installedIn(target, scope, examination) ?? [])
  const routes = uniqueRoutes(installed)
  const results = await Promise.all(routes.map((route) => canary(target, route, examination)))
  const isHttp = routes.some(({ kind }) => kind === 'http')
  const hooks = HARNESSES.get(target.harness)?.hooks(isHttp ? 'http' : 'command')
  const capabilities = hooks?.profile(version).capabilities
  return {
    harness: target.name,
    version,
    files: installed.map(({ file }) => file),
    can: capabilities === undefined ? [] : abilities(capabilities),
    cannot: capabilities === undefined ? [] : gaps(capabilities),
    findings: [
      ...(installed.length === 0 ? [notSetUp(target)] : []),
      ...installed.flatMap((each) => incomplete(target, each)),
      ...disabled(target, examination),
      ...results.flatMap(canaryFinding),
      ...(isHttp && !examination.around.env[TOKEN_VARIABLE] ? [noToken(examination)] : []),
      ...(await untrusted(target, installed, { version, examination })),
    ],
  }
}

function installedIn(
  target: Target,
  scope: Scope,
  { dir, paths, around }: Examination,
): Installed | null {
  const file = target.file(scope, dir, around)
  const text = readSettings(file)
  if (text === null) return null
  const content = target.content({
    shim: paths.shim,
    socket: null,
    http: null,
    version: null,
  })
  if (content.kind === 'whole')
    return text.includes(content.mark)
      ? { file, scope, routes: [socketRoute(target, paths)], missing: [] }
      : null
  const ours = ourHooks(text, file, content.settings)
  const found = Object.keys(ours)
  if (found.length === 0) return null
  const missing = Object.keys(content.settings.hooks).filter((event) => !found.includes(event))
  const asking = target.asking.flatMap((event) => routesIn(ours[event] ?? null))
  return { file, scope, routes: asking, missing }
}

/** Every command and address in the entries. */
function routesIn(value: JsonValue): readonly HookRoute[] {
  if (value === null || typeof value !== 'object') return []
  if (Array.isArray(value)) return value.flatMap(routesIn)
  return Object.entries(value).flatMap(([name, item]): readonly HookRoute[] => {
    if (typeof item !== 'string') return routesIn(item)
    if (name === 'command' || name === 'bash') return [{ kind: 'command', command: item }]
    return name === 'url' ? [{ kind: 'http', url: item }] : []
  })
}

function uniqueRoutes(installed: readonly Installed[]): readonly HookRoute[] {
  const routes = installed.flatMap((each) => each.routes)
  return [...new Map(routes.map((route) => [JSON.stringify(route), route])).values()]
}

async function canary(
  { call }: Target,
  route: HookRoute,
  { paths, around }: Examination,
): Promise<CanaryResult> {
  const token = around.env[TOKEN_VARIABLE] ?? readToken(paths.token)
  return sendCanary(route, call, { token, around })
}

function notSetUp({ name }: Target): Finding {
  const message = `No Signalbox hooks are set. Set them with: signalbox init ${name}`
  return { code: 'not_set_up', message }
}

function incomplete({ name }: Target, { file, missing }: Installed): readonly Finding[] {
  if (missing.length === 0) return []
  const message = `${file} has no hook for ${missing.join(', ')}. Fix it with: signalbox init ${name}`
  return [{ code: 'incomplete', message }]
}

function canaryFinding(result: CanaryResult): readonly Finding[] {
  switch (result.kind) {
    case 'refused':
      return []
    case 'no_daemon':
      return [{ code: 'no_daemon', message: `Every call is refused: ${result.why}` }]
    case 'open':
      return [{ code: 'open', message: `A hook that fails lets the call through: ${result.why}` }]
    default:
      return result satisfies never
  }
}

function noToken({ paths }: Examination): Finding {
  return {
    code: 'no_token',
    message: `${TOKEN_VARIABLE} is not set here. Start the harness with it: ${TOKEN_VARIABLE}="$(cat '${paths.token}')"`,
  }
}

/** Codex skips hooks that its user has not trusted, without a word. */
async function untrusted(
  { name, harness }: Target,
  installed: readonly Installed[],
  { version, examination }: { readonly version: string | null; readonly examination: Examination },
): Promise<readonly Finding[]> {
  if (name !== 'codex' || version === null || installed.length === 0) return []
  const { around, dir, paths } = examination
  const codexHome = around.env['CODEX_HOME'] || path.join(around.home, '.codex')
  // Codex refuses to answer for a folder that is not there; it is where it keeps what its user trusts.
  if (!fs.existsSync(codexHome)) {
    const message = `Codex was never started with ${codexHome}, so it skips every Signalbox hook: start codex here and trust the hooks.`
    return [{ code: 'untrusted', message }]
  }
  const env = { NODE_ENV: 'production', ...around.env } as NodeJS.ProcessEnv
  try {
    const found = await readCodexHooks({ codexHome, cwd: dir, env }, shimCall(paths.shim, harness))
    const skipped = found.hooks.filter(({ trusted }) => !trusted).map(({ event }) => event)
    if (found.hooks.length > 0 && skipped.length === 0) return []
    const what = skipped.length === 0 ? 'every Signalbox hook' : skipped.join(', ')
    return [
      { code: 'untrusted', message: `Codex skips ${what}: start codex here and trust the hooks.` },
    ]
  } catch {
    const message = 'It is unknown whether Codex trusts the hooks: its app-server did not answer.'
    return [{ code: 'trust_unknown', message }]
  }
}

function abilities(can: HarnessCapabilities): readonly string[] {
  const { denyReason, blockStop, maxBlocks, inject, approvalSeconds } = can
  return [
    denyReason ? 'Calls are denied, and the agent reads why' : 'Calls are denied without a reason',
    ...(inject === 'none' ? [] : ['Feedback reaches the agent']),
    approvalSeconds === null
      ? 'A call waits for a person as long as its rule allows'
      : `A call waits for a person for at most ${approvalSeconds} seconds, even if its rule allows more`,
    ...(blockStop === 'none'
      ? []
      : [
          maxBlocks === null
            ? 'The agent can be kept from stopping'
            : `The agent can be kept from stopping, at most ${maxBlocks} times in a row`,
        ]),
  ]
}

function gaps(capabilities: HarnessCapabilities): readonly string[] {
  const facts = { capabilities: capabilitiesRecord(capabilities), breaches: [] }
  return enforcementGaps(facts).map(shortfallSentence)
}

function socketRoute({ harness }: Pick<Target, 'harness'>, { socket }: DaemonPaths): HookRoute {
  return { kind: 'socket', socket, path: `/hook/${harness}` }
}

/** The daemon itself; null: it refuses as it should. */
export async function examineDaemon({ paths, around }: Examination): Promise<Finding | null> {
  const route = socketRoute({ harness: 'claude-code' }, paths)
  const result = await sendCanary(route, {}, { token: null, around })
  return result.kind === 'refused' ? null : { code: 'no_daemon', message: result.why }
}

/** Claude Code runs no hook at all when any of its settings says so. */
function disabled({ name, file }: Target, { dir, around }: Examination): readonly Finding[] {
  if (name !== 'claude-code') return []
  const files = [
    ...SCOPES.map((scope) => file(scope, dir, around)),
    path.join(dir, '.claude/settings.json'),
  ]
  return files
    .filter((each) => /"disableAllHooks"\s*:\s*true/.test(readSettings(each) ?? ''))
    .map((each) => ({
      code: 'disabled',
      message: `${each} says "disableAllHooks": true, so no hook runs. Remove it.`,
    }))
}
