import { type Finding, HARNESSES, type Scope, TOKEN_VARIABLE } from '@signalbox/adapters'
import { isJsonObject, type JsonObject, type JsonValue } from '@signalbox/core'
import { enforcementGaps, plural, shortfallSentence } from '@signalbox/core/analysis'
import type { HarnessCapabilities } from '@signalbox/runtime'
import { capabilitiesRecord } from '@signalbox/runtime/harness'
import type { Surroundings } from '../base/surroundings.ts'
import { askHealth } from '../daemon/ask-socket.ts'
import type { DaemonPaths } from '../daemon/daemon-paths.ts'
import { readToken } from '../daemon/private-files.ts'
import { readProgramVersion } from '../init/init-command.ts'
import { ourHooks } from '../init/merge-hooks.ts'
import { readSettings } from '../init/settings-file.ts'
import { contentFor, hookReach, type Target } from '../init/targets.ts'
import { shimCall } from '../shim/write-shim.ts'
import { type CanaryResult, type HookRoute, sendCanary } from './canary.ts'

export interface Examined {
  readonly harness: string
  /** null: the program is not on PATH. */
  readonly version: string | null
  readonly files: readonly string[]
  readonly can: readonly string[]
  readonly cannot: readonly string[]
  readonly findings: readonly Finding[]
}

export interface Examination {
  readonly dir: string
  readonly paths: DaemonPaths
  readonly around: Surroundings
}

interface Installed {
  readonly file: string
  readonly scope: Scope
  readonly routes: readonly HookRoute[]
  readonly missing: readonly string[]
}

const SCOPES = ['project', 'user'] as const

/** Throws Unusable when a settings file cannot be read. */
export async function examine(target: Target, examination: Examination): Promise<Examined> {
  const version = await readProgramVersion(target.program, examination.around)
  const installed = SCOPES.flatMap((scope) => installedIn(target, scope, examination) ?? [])
  const routes = uniqueRoutes(installed)
  const results = await Promise.all(routes.map((route) => canary(target, route, examination)))
  const isHttp = routes.some(({ kind }) => kind === 'http')
  const hooks = HARNESSES.get(target.name)?.hooks(isHttp ? 'http' : 'command')
  const capabilities = hooks?.profile(version).capabilities
  const files = installed.map(({ file }) => file)
  const command = shimCall(examination.paths.shim, target.name)
  return {
    harness: target.name,
    version,
    files,
    can: capabilities === undefined ? [] : abilities(capabilities),
    cannot: capabilities === undefined ? [] : gaps(capabilities),
    findings: [
      ...(installed.length === 0 ? [notSetUp(target)] : []),
      ...installed.flatMap((each) => incomplete(target, each)),
      ...results.flatMap(canaryFinding),
      ...(isHttp && !examination.around.env[TOKEN_VARIABLE] ? [noToken(examination)] : []),
      ...(await target.examine({
        ...toExaminePlace(examination),
        version,
        files,
        command,
        readText: readSettings,
      })),
    ],
  }
}

function toExaminePlace({ dir, around: { env, home } }: Examination) {
  return { dir, env, home }
}

function installedIn(target: Target, scope: Scope, examination: Examination): Installed | null {
  const { paths } = examination
  const file = target.file(scope, toExaminePlace(examination))
  const text = readSettings(file)
  if (text === null) return null
  const { shim, token } = paths
  const reach = hookReach(target, { shim, token, socket: null, http: null, version: null })
  const content = contentFor(target, reach)
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

function abilities(can: HarnessCapabilities): readonly string[] {
  const { denyReason, blockStop, maxBlocks, inject, approvalSeconds } = can
  return [
    denyReason ? 'Calls are denied, and the agent reads why' : 'Calls are denied without a reason',
    ...(inject === 'none' ? [] : ['Feedback reaches the agent']),
    approvalSeconds === null
      ? 'A call waits for approval as long as its rule allows'
      : `A call waits for approval for at most ${plural(approvalSeconds, 'second')}, even if its rule allows more`,
    ...(blockStop === 'none'
      ? []
      : [
          maxBlocks === null
            ? 'Stops can be blocked'
            : `Stops can be blocked, at most ${maxBlocks} times in a row`,
        ]),
  ]
}

function gaps(capabilities: HarnessCapabilities): readonly string[] {
  const facts = { capabilities: capabilitiesRecord(capabilities), breaches: [] }
  return enforcementGaps(facts).map(shortfallSentence)
}

function socketRoute({ name }: Pick<Target, 'name'>, paths: DaemonPaths): HookRoute {
  return { kind: 'socket', paths, path: `/hook/${name}` }
}

export interface ExaminedDaemon {
  readonly finding: Finding | null
  /** Which rules apply, in a sentence; null: no daemon answers. */
  readonly rules: string | null
  /** Connection of the daemon to the server; null: no daemon answers, or its rules come from a file. */
  readonly console: JsonObject | null
}

export async function examineDaemon({ paths, around }: Examination): Promise<ExaminedDaemon> {
  const route = socketRoute({ name: 'claude-code' }, paths)
  const result = await sendCanary(route, {}, { token: null, around })
  if (result.kind !== 'refused')
    return { finding: { code: 'no_daemon', message: result.why }, rules: null, console: null }
  const health = await askHealth(paths.socket)
  const rules = health?.['rules']
  const connection = health?.['console']
  const sentence = isJsonObject(rules)
    ? String(rules['sentence'])
    : 'The daemon is of another version.'
  const isInForce = isJsonObject(rules) && rules['isInForce'] === true
  return {
    finding: isInForce ? null : { code: 'no_rules', message: sentence },
    rules: sentence,
    console: isJsonObject(connection) ? connection : null,
  }
}
