// Converts the settings files of Claude Code. Lists of rules add up over all files; a single value comes from the file of the highest level.
import { evaluate, parse } from '@humanwhocodes/momoa'
import { isJsonObject, type JsonObject, type JsonValue } from '@signalbox/core'
import { isTooDeep, locateJsonError } from '@signalbox/wire'
import { Unusable } from '../base/io.ts'
import { convertClaudeRule } from './claude-rule.ts'
import {
  type Converted,
  LEVELS,
  notCarried,
  notNeeded,
  type PermissionFile,
  type Place,
} from './report.ts'

interface Settings {
  readonly file: PermissionFile
  readonly value: JsonObject
  readonly permissions: JsonObject
}

/** Restrictions of Claude Code that have no entry, and those that no rule can see. */
export const CLAUDE_LIMITS = [
  'Calls that no entry names: Claude Code asks about them in its default mode and goes on doing so; these rules allow them.',
  'Links: a path is compared as the call names it.',
  'Relative paths after a change of folder, or in a session that works inside of a folder that an entry names.',
  'Searches that find a file without naming it, and programs that open files themselves.',
  'Commands that hide a word: by variables, by quotes or escapes within it, or in a script.',
]

/** Throws Unusable for a file that cannot be read. */
export function convertClaude(files: readonly PermissionFile[]): readonly Converted[] {
  const all = files
    .map(readSettings)
    .toSorted((a, b) => LEVELS.indexOf(a.file.level) - LEVELS.indexOf(b.file.level))
  const onlyManaged = (key: string) =>
    all.some(({ file, value }) => file.level === 'managed' && value[key] === true)
  const scope = {
    rules: onlyManaged('allowManagedPermissionRulesOnly'),
    hooks: onlyManaged('allowManagedHooksOnly'),
    mode: all.find(({ permissions }) => permissions['defaultMode'] !== undefined)?.file,
  }
  return all.flatMap((settings) => convertFile(settings, scope))
}

function readSettings(file: PermissionFile): Settings {
  const { name } = file
  const text = file.text.replace(/^\uFEFF/, '')
  if (isTooDeep(text)) throw new Unusable(`${name} is nested too deeply.`)
  let value: unknown
  try {
    value = evaluate(parse(text, { mode: 'jsonc', allowTrailingCommas: true }))
  } catch (error) {
    const place = locateJsonError(text, error)
    const why = place === null ? String(error) : `line ${place.line}, ${place.found}`
    throw new Unusable(`${name} is not valid JSON: ${why}.`)
  }
  if (!isJsonObject(value)) throw new Unusable(`${name} holds no settings. Expected an object.`)
  const { permissions = {} } = value
  if (!isJsonObject(permissions)) throw new Unusable(`${name}: "permissions" is not an object.`)
  return { file, value, permissions }
}

interface Scope {
  /** True: only rules, or hooks, of managed settings apply. */
  readonly rules: boolean
  readonly hooks: boolean
  /** File whose default mode applies. Absent: no file sets one. */
  readonly mode: PermissionFile | undefined
}

const MANAGED_ONLY = 'Managed settings switch it off.'

function convertFile({ file, value, permissions }: Settings, scope: Scope): readonly Converted[] {
  const isManaged = file.level === 'managed'
  const of = (key: string, entry: JsonValue): Place => ({
    file: file.name,
    entry: `${key} ${typeof entry === 'string' ? entry : JSON.stringify(entry)}`.slice(0, 300),
  })
  return [
    ...Object.entries(permissions).flatMap(([key, entry]) => {
      if (key === 'deny' || key === 'ask' || key === 'allow') {
        return listEntries(entry).map((rule) => {
          const place = of(key, rule)
          if (scope.rules && !isManaged) return notNeeded(place, MANAGED_ONLY)
          if (typeof rule !== 'string') return notCarried(place, 'This is not a rule.')
          if (key !== 'allow') return convertClaudeRule(rule, key, file.name)
          return notNeeded(place, 'Allowed unless a rule denies it or asks about it.')
        })
      }
      if (key === 'additionalDirectories') {
        return listEntries(entry).map((folder) =>
          notNeeded(of(key, folder), 'Rules do not limit calls to folders.'),
        )
      }
      return [convertSetting(of(key, entry), { key, entry, file, scope })]
    }),
    ...convertHooks(value['hooks'], file, scope.hooks && !isManaged),
    ...Object.entries(value).flatMap(([key, entry]) => convertTopLevel(of(key, entry), key, entry)),
  ]
}

function listEntries(value: JsonValue): readonly JsonValue[] {
  return Array.isArray(value) ? value : [value]
}

const MODES: { readonly [mode: string]: string } = {
  default: 'Claude Code goes on asking about calls that no entry names; these rules allow them.',
  acceptEdits:
    'Claude Code goes on asking about commands that no entry names; these rules allow them.',
  plan: 'Claude Code goes on refusing changes while it plans; these rules allow them.',
  dontAsk: 'Claude Code goes on refusing calls that no entry allows; these rules allow them.',
  auto: "Claude Code's own check goes on; these rules allow what no entry names.",
}

interface Setting {
  readonly key: string
  readonly entry: JsonValue
  readonly file: PermissionFile
  readonly scope: Scope
}

function convertSetting(place: Place, { key, entry, file, scope }: Setting): Converted {
  if (key === 'disableBypassPermissionsMode' || key === 'disableAutoMode')
    return notNeeded(place, 'Rules hold in every mode of Claude Code.')
  if (key !== 'defaultMode') return notCarried(place, 'This setting is not known here.')
  if (file !== scope.mode) return notNeeded(place, `${scope.mode?.name ?? ''} sets another mode.`)
  if (entry === 'bypassPermissions')
    return notNeeded(place, 'Calls that no rule denies are allowed.')
  const known = typeof entry === 'string' && Object.hasOwn(MODES, entry) ? MODES[entry] : undefined
  return notCarried(place, known ?? 'This mode is not known here.')
}

function convertHooks(
  hooks: JsonValue | undefined,
  { name }: PermissionFile,
  isOff: boolean,
): readonly Converted[] {
  if (!isJsonObject(hooks)) return []
  return Object.entries(hooks).flatMap(([event, groups]) =>
    listEntries(groups).flatMap((group) => {
      const { matcher, hooks: handlers = [] } = isJsonObject(group) ? group : {}
      const on = typeof matcher === 'string' && matcher !== '' ? `${event} ${matcher}` : event
      return listEntries(handlers).map((handler) => convertHook(handler, { file: name, on, isOff }))
    }),
  )
}

interface HookPlace {
  readonly file: string
  /** Event, and the tools that it is about. */
  readonly on: string
  readonly isOff: boolean
}

function convertHook(handler: JsonValue, { file, on, isOff }: HookPlace): Converted {
  const { type, command, url } = isJsonObject(handler) ? handler : {}
  const what = [type, command ?? url].filter((part) => typeof part === 'string').join(' ')
  const place = { file, entry: `hook ${on}: ${what}`.slice(0, 300) }
  if (isOff) return notNeeded(place, MANAGED_ONLY)
  return /-hook' claude-code|\/hook\/claude-code/.test(what)
    ? notNeeded(place, 'It is the hook of Signalbox.')
    : notCarried(place, 'Hooks run programs. Claude Code goes on running it.')
}

const MANAGED_FLAG = 'Applied: entries that it switches off are listed as not needed.'

function convertTopLevel(place: Place, key: string, entry: JsonValue): readonly Converted[] {
  switch (key) {
    case 'allowManagedPermissionRulesOnly':
    case 'allowManagedHooksOnly':
      return [notNeeded(place, MANAGED_FLAG)]
    case 'disableAllHooks':
      return entry === true
        ? [
            notCarried(
              place,
              "Remove it: it also switches off Signalbox's hooks, and with them every rule.",
            ),
          ]
        : []
    case 'enableAllProjectMcpServers':
    case 'enabledMcpjsonServers':
      return listEntries(entry).map((server) => {
        const named = { ...place, entry: `${key} ${String(server)}` }
        return notNeeded(named, 'Allowed unless a rule denies it or asks about it.')
      })
    case 'disabledMcpjsonServers':
      return listEntries(entry).map((server) => convertServer(server, { file: place.file, key }))
    case 'deniedMcpServers':
      return listEntries(entry).map((server) =>
        convertServer(isJsonObject(server) ? (server['serverName'] ?? server) : server, {
          file: place.file,
          key,
        }),
      )
    case 'allowedMcpServers':
      return [notCarried(place, 'Claude Code goes on refusing other servers.')]
    case 'sandbox':
      return [notCarried(place, 'A sandbox limits what a running command can do. Keep it on.')]
    default:
      return []
  }
}

function convertServer(
  server: JsonValue,
  { file, key }: { readonly file: string; readonly key: string },
): Converted {
  if (typeof server !== 'string') {
    const place = { file, entry: `${key} ${JSON.stringify(server)}` }
    return notCarried(place, 'Rules know a server by its name only.')
  }
  const name = server.replaceAll(/[^\w-]/g, '_')
  return { ...convertClaudeRule(`mcp__${name}`, 'deny', file), entry: `${key} ${server}` }
}
