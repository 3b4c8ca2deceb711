// Converts the settings and rules of Codex. A single value comes from the selected profile, then the project's file, then the user's;
// requirements of an administrator replace a value that they do not accept.
import { isJsonObject, type JsonObject, type JsonValue } from '@signalbox/core'
import { parse } from 'smol-toml'
import { Unusable } from '../base/io.ts'
import { type CodexStatement, readCodexRules } from './codex-rules.ts'
import { pathConditions, prefixCondition, toolCondition } from './conditions.ts'
import {
  type Converted,
  LEVELS,
  notCarried,
  notNeeded,
  type PermissionFile,
  type Place,
  type Restriction,
} from './report.ts'

/** Restrictions of Codex that have no entry, and those that no rule can see. */
export const CODEX_LIMITS = [
  'Calls that no entry names: Codex asks about them by its own settings and goes on doing so; these rules allow them.',
  'What a running command does: only the sandbox of Codex limits its files and its network.',
  'Commands that hide a word: by variables, by quotes or escapes within it, or in a script.',
]

const EDITS = ['edit_file', 'write_file', 'delete_file']

interface Source {
  readonly file: PermissionFile
  readonly value: JsonObject
}

/** Throws Unusable for a file that cannot be read. */
export function convertCodex(files: readonly PermissionFile[]): readonly Converted[] {
  const sources = files
    .filter((file) => !isRules(file))
    .map((file) => ({ file, value: readToml(file) }))
    .toSorted((a, b) => LEVELS.indexOf(a.file.level) - LEVELS.indexOf(b.file.level))
  const effective = findEffective(sources)
  return [
    ...sources.flatMap((source) => convertSource(source, effective)),
    ...files.filter(isRules).flatMap(convertRules),
  ]
}

function isRules({ name }: PermissionFile): boolean {
  return /\.(?:rules|codexpolicy)$/.test(name)
}

function readToml({ name, text }: PermissionFile): JsonObject {
  try {
    // Dates become texts; JSON has none.
    const value: unknown = JSON.parse(JSON.stringify(parse(text)))
    if (isJsonObject(value)) return value
  } catch (error) {
    const why = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
    throw new Unusable(`${name} is not TOML: ${why}`)
  }
  throw new Unusable(`${name} holds no settings.`)
}

/** A value that applies. */
interface Effective {
  readonly value: JsonValue
  /** File and key, or a statement that no file sets it. */
  readonly place: string
}

interface EffectiveSettings {
  /** undefined: none is selected. */
  readonly profile: JsonValue | undefined
  readonly approval: Effective
  readonly sandbox: Effective
}

function findEffective(sources: readonly Source[]): EffectiveSettings {
  const profile = sources.map(({ value }) => value['profile']).find((name) => name !== undefined)
  const find = (key: string, allowed: string, standard: string): Effective => {
    const profiled = sources.flatMap(({ file, value }) =>
      typeof profile === 'string'
        ? toEffective(
            table(table(value['profiles'])[profile])[key],
            profiledPlace(file, profile, key),
          )
        : [],
    )
    const plain = sources.flatMap(({ file, value }) =>
      toEffective(value[key], `${file.name} ${key}`),
    )
    const unset = { value: standard, place: 'The default of Codex' }
    const [set = unset] = [...profiled, ...plain]
    const required = sources.flatMap(({ file, value: { [allowed]: list } }) =>
      Array.isArray(list) && list[0] !== undefined && !list.includes(set.value)
        ? [{ value: list[0], place: `${file.name} ${allowed}` }]
        : [],
    )
    return required[0] ?? set
  }
  return {
    profile,
    approval: find('approval_policy', 'allowed_approval_policies', 'on-request'),
    sandbox: find('sandbox_mode', 'allowed_sandbox_modes', 'workspace-write'),
  }
}

function profiledPlace({ name }: PermissionFile, profile: string, key: string): string {
  return `${name} profiles.${profile}.${key}`
}

function toEffective(value: JsonValue | undefined, place: string): readonly Effective[] {
  return value === undefined ? [] : [{ value, place }]
}

function table(value: JsonValue | undefined): JsonObject {
  return value !== undefined && isJsonObject(value) ? value : {}
}

function convertSource(
  { file, value }: Source,
  effective: EffectiveSettings,
): readonly Converted[] {
  const at = (entry: string): Place => ({ file: file.name, entry: entry.slice(0, 300) })
  const line = (key: string, entry: JsonValue): Place => at(`${key} = ${JSON.stringify(entry)}`)
  return Object.entries(value).flatMap(([key, entry]): readonly Converted[] => {
    switch (key) {
      case 'approval_policy':
      case 'sandbox_mode':
      case 'allowed_approval_policies':
      case 'allowed_sandbox_modes':
        return [convertMode(line(key, entry), { key, place: `${file.name} ${key}`, effective })]
      case 'profiles':
        return Object.entries(table(entry)).flatMap(([name, profile]) =>
          Object.entries(table(profile)).flatMap(([inner, set]) => {
            if (inner !== 'approval_policy' && inner !== 'sandbox_mode') return []
            const place = profiledPlace(file, name, inner)
            const written = line(`profiles.${name}.${inner}`, set)
            return name === effective.profile
              ? [convertMode(written, { key: inner, place, effective })]
              : [
                  notCarried(
                    written,
                    `The profile is not selected. Import it with profile = "${name}".`,
                  ),
                ]
          }),
        )
      case 'sandbox_workspace_write':
        return Object.entries(table(entry)).map(([inner, set]) =>
          convertWorkspace(line(`${key}.${inner}`, set), inner, set),
        )
      case 'mcp_servers':
        return file.level === 'managed'
          ? [notCarried(at(key), 'Codex goes on refusing other servers.')]
          : Object.entries(table(entry)).flatMap(([name, server]) =>
              convertServer(table(server), { name, line }),
            )
      case 'projects':
        return Object.entries(table(entry)).map(([folder, project]) => {
          const { trust_level = '' } = table(project)
          const place = line(`projects.${JSON.stringify(folder)}.trust_level`, trust_level)
          return trust_level === 'trusted'
            ? notNeeded(place, 'Rules do not depend on trust in a folder.')
            : notCarried(place, 'Codex goes on ignoring the settings of this folder.')
        })
      case 'rules':
        return convertRequiredRules(table(entry)['prefix_rules'], file.name)
      case 'permissions':
        return convertPermissions(table(entry), line)
      case 'hooks':
        return Object.entries(table(entry))
          .filter(([event]) => event !== 'state')
          .flatMap(([event, groups]) =>
            (Array.isArray(groups) ? groups : [groups]).map((group) =>
              notCarried(
                line(`hooks.${event}`, group),
                'Hooks run programs. Codex goes on running it.',
              ),
            ),
          )
      case 'default_permissions':
      case 'allowed_permission_profiles':
      case 'web_search':
      case 'allowed_web_search_modes':
      case 'experimental_network':
      case 'allow_managed_hooks_only':
        return [notCarried(line(key, entry), 'Codex goes on enforcing it.')]
      default:
        return []
    }
  })
}

interface Mode {
  readonly key: string
  /** File and key of the entry. */
  readonly place: string
  readonly effective: EffectiveSettings
}

function convertMode(written: Place, { key, place, effective }: Mode): Converted {
  const isApproval = key.includes('approval')
  const set = isApproval ? effective.approval : effective.sandbox
  if (set.place !== place) return notNeeded(written, `${set.place} applies instead.`)
  return isApproval ? convertApproval(written, set.value) : convertSandbox(written, effective)
}

function convertApproval(place: Place, policy: JsonValue): Converted {
  switch (policy) {
    case 'untrusted':
      return {
        ...place,
        conversion: 'stricter',
        becomes:
          'Asks a reviewer about every command and every edit, also those that Codex trusts.',
        restrictions: [{ effect: 'ask', tools: ['shell', ...EDITS], when: null }],
      }
    case 'never':
      return notNeeded(place, 'Codex asks about nothing.')
    default:
      return notCarried(place, 'Codex goes on asking when the model or the sandbox requires it.')
  }
}

function convertSandbox(place: Place, { approval, sandbox }: EffectiveSettings): Converted {
  switch (sandbox.value) {
    case 'danger-full-access':
      return notNeeded(place, 'It limits nothing.')
    case 'read-only': {
      const effect = approval.value === 'never' ? 'deny' : 'ask'
      return notCarried(
        place,
        `${effect === 'deny' ? 'Denies' : 'Asks a reviewer about'} every edit. Commands are not covered: keep the sandbox on.`,
        [{ effect, tools: EDITS, when: null }],
      )
    }
    default:
      return notCarried(place, 'Rules cannot see what a command writes. Keep the sandbox on.')
  }
}

function convertWorkspace(place: Place, key: string, value: JsonValue): Converted {
  const isWider = key === 'writable_roots' || (key === 'network_access') === (value === true)
  return isWider
    ? notNeeded(place, 'It allows more than the sandbox does without it.')
    : notCarried(place, 'Rules cannot see what a command does. Keep the sandbox on.')
}

interface Named {
  readonly name: string
  readonly line: (key: string, entry: JsonValue) => Place
}

function convertServer(server: JsonObject, { name, line }: Named): readonly Converted[] {
  const start = `mcp__${name.replaceAll(/[^\w-]/g, '_')}__`
  const tools = (names: JsonValue) =>
    (Array.isArray(names) ? names : []).map(
      (tool) => `${start}${String(tool).replaceAll(/[^\w-]/g, '_')}`,
    )
  const deny = (place: Place, when: string, becomes: string): Converted => ({
    ...place,
    conversion: 'exact',
    becomes,
    restrictions: [{ effect: 'deny', tools: 'every', when }],
  })
  const every = toolCondition([`${start}*`])
  return Object.entries(server).flatMap(([key, entry]): readonly Converted[] => {
    const place = line(`mcp_servers.${name}.${key}`, entry)
    switch (key) {
      case 'enabled':
        return entry === false
          ? [deny(place, every, `Denies every call of the server ${name}.`)]
          : [notNeeded(place, 'Allowed unless a rule denies it or asks about it.')]
      case 'disabled_tools':
        return tools(entry).length === 0
          ? [notNeeded(place, 'It names no tool.')]
          : [deny(place, toolList(tools(entry)), 'Denies calls of these tools.')]
      case 'enabled_tools':
        return [
          deny(
            place,
            tools(entry).length === 0 ? every : `${every} && !(${toolList(tools(entry))})`,
            `Denies every other call of the server ${name}.`,
          ),
        ]
      case 'default_tools_approval_mode':
        return [convertToolApproval(place, entry, { effect: 'deny', tools: 'every', when: every })]
      case 'tools':
        return Object.entries(table(entry)).flatMap(([tool, settings]) => {
          const { approval_mode: mode } = table(settings)
          if (mode === undefined) return []
          const [native = ''] = tools([tool])
          const canonical = native.toLowerCase().slice(0, 64)
          return [
            convertToolApproval(
              line(`mcp_servers.${name}.tools.${tool}.approval_mode`, mode),
              mode,
              {
                effect: 'ask',
                tools: [canonical],
                when: null,
                ...(canonical === native ? {} : { aliases: { [native]: canonical } }),
              },
            ),
          ]
        })
      default:
        return []
    }
  })
}

function toolList(tools: readonly string[]): string {
  return `tool in ${JSON.stringify(tools)}`
}

function convertToolApproval(place: Place, mode: JsonValue, restriction: Restriction): Converted {
  if (mode === 'approve') return notNeeded(place, 'Codex asks about nothing here.')
  if (mode !== 'prompt')
    return notCarried(place, 'Codex goes on asking by what the server declares.')
  return restriction.effect === 'ask'
    ? {
        ...place,
        conversion: 'exact',
        becomes: 'Asks a reviewer about every call of the tool.',
        restrictions: [restriction],
      }
    : {
        ...place,
        conversion: 'stricter',
        becomes:
          'Denies every call of the server: a reviewer can be asked only about tools that a rule names.',
        restrictions: [restriction],
      }
}

function convertPermissions(permissions: JsonObject, line: Named['line']): readonly Converted[] {
  return Object.entries(permissions).flatMap(([name, profile]) => {
    const denied = name === 'filesystem' ? table(profile)['deny_read'] : undefined
    if (!Array.isArray(denied))
      return [notCarried(line(`permissions.${name}`, profile), 'Codex goes on enforcing it.')]
    return denied.map((glob) => {
      const place = line('permissions.filesystem.deny_read', glob)
      const conditions = typeof glob === 'string' ? pathConditions(glob) : undefined
      if (conditions === undefined || conditions.commands === null)
        return notCarried(place, 'Codex goes on enforcing it.')
      return {
        ...place,
        conversion: 'stricter' as const,
        becomes: 'Denies reads and edits of it in every folder, and commands that name it.',
        restrictions: [
          { effect: 'deny' as const, tools: ['read_file', ...EDITS], when: conditions.files },
          { effect: 'deny' as const, tools: ['shell'], when: conditions.commands },
        ],
      }
    })
  })
}

function convertRules({ name, text }: PermissionFile): readonly Converted[] {
  return readCodexRules(text).map((statement) => {
    const place = { file: name, entry: `line ${statement.line}: ${shorten(statement)}` }
    if (statement.call === 'host_executable')
      return notNeeded(place, 'Rules apply to a program in every folder.')
    if (statement.call !== 'prefix_rule')
      return notCarried(place, 'Only prefix_rule with literal arguments is converted.')
    const { pattern, decision = 'allow' } = statement.args
    const words = (Array.isArray(pattern) ? pattern : []).map(toChoice)
    return convertPrefix(place, words, decision)
  })
}

function shorten({ text }: CodexStatement): string {
  const flat = text.replaceAll(/\s+/g, ' ')
  return flat.length > 120 ? `${flat.slice(0, 119)}…` : flat
}

/** Alternatives of one word; empty: not a word. */
function toChoice(word: unknown): readonly string[] {
  const choice = Array.isArray(word) ? word : [word]
  return choice.every((one) => typeof one === 'string' && one !== '') ? choice : []
}

function convertRequiredRules(rules: JsonValue | undefined, file: string): readonly Converted[] {
  if (!Array.isArray(rules)) return []
  return rules.map((rule) => {
    const { pattern, decision = 'allow' } = table(rule)
    const words = (Array.isArray(pattern) ? pattern : []).map((word) => {
      const { token, any_of } = table(word)
      return toChoice(token ?? any_of)
    })
    const place = { file, entry: `rules.prefix_rules ${JSON.stringify(rule)}`.slice(0, 300) }
    return convertPrefix(place, words, decision)
  })
}

function convertPrefix(
  place: Place,
  words: readonly (readonly string[])[],
  decision: unknown,
): Converted {
  if (decision === 'allow')
    return notNeeded(place, 'Allowed unless a rule denies it or asks about it.')
  if (decision !== 'prompt' && decision !== 'forbidden')
    return notCarried(place, 'This decision is not known here.')
  if (words.length === 0 || words.some((choice) => choice.length === 0))
    return notCarried(place, 'The pattern is not a list of words.')
  const when = prefixCondition(words)
  if (when === undefined) return notCarried(place, 'The pattern is too long for one condition.')
  const text = words.map((choice) => choice.join('|')).join(' ')
  return {
    ...place,
    conversion: 'stricter',
    becomes: `${decision === 'prompt' ? 'Asks a reviewer about' : 'Denies'} commands with "${text}", also in a chain or in quotes.`,
    restrictions: [{ effect: decision === 'prompt' ? 'ask' : 'deny', tools: ['shell'], when }],
  }
}
