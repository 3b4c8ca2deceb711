// Converts one rule of Claude Code's permissions, such as `Bash(npm run test:*)`. Facts: specs/import-permissions.md.
import {
  commandCondition,
  escapePattern,
  hostCondition,
  pathConditions,
  toolCondition,
} from './conditions.ts'
import { type Converted, notCarried, notNeeded, type Place, type Restriction } from './report.ts'

export type Effect = Restriction['effect']

/** Canonical names of Claude's own tools; a test compares them with those of the adapter. */
export const CLAUDE_NAMES: { readonly [native: string]: string } = {
  Read: 'read_file',
  Write: 'write_file',
  Edit: 'edit_file',
  MultiEdit: 'edit_file',
  NotebookEdit: 'notebook_edit',
  LS: 'list_files',
  Glob: 'glob',
  Grep: 'grep',
  Bash: 'shell',
  PowerShell: 'shell',
  Monitor: 'shell',
  Agent: 'task',
  Task: 'task',
  WebFetch: 'web_fetch',
  WebSearch: 'web_search',
  TodoWrite: 'update_plan',
  TaskCreate: 'update_plan',
  TaskUpdate: 'update_plan',
}

/** Names that rules may use. */
const CANONICAL = /^[a-z0-9_-]{1,64}$/
const EDITS = ['edit_file', 'write_file', 'notebook_edit']
/** Claude Code applies a Read rule to edits of the file as well. */
const READS = ['read_file', 'grep', 'glob', 'list_files', ...EDITS]
const PATH_TOOLS = 'Read LS Glob Grep Edit Write MultiEdit NotebookEdit'.split(' ')
const TOO_LONG = 'The pattern is too long for one condition.'

const VERBS = { deny: 'Denies', ask: 'Asks a reviewer about' } as const

interface Rule {
  readonly place: Place
  readonly effect: Effect
  readonly tool: string
  /** Text in the parentheses; null: none, or one that stands for everything. */
  readonly specifier: string | null
}

export function convertClaudeRule(text: string, effect: Effect, file: string): Converted {
  const place = { file, entry: `${effect} ${text}` }
  const [, tool, inside] = /^\s*([^\s()]+?)\s*(?:\((.*)\))?\s*$/s.exec(text) ?? []
  if (tool === undefined) return notCarried(place, 'This is not a rule that can be read.')
  // In a path rule, `*` is a path like any other.
  const isWhole = inside === undefined || /^\s*$/.test(inside) || isStar(inside, tool)
  const specifier = isWhole ? null : inside.trim()
  const rule = { place, effect, tool, specifier }
  if (specifier === null) return convertTool(rule)
  switch (tool) {
    case 'Bash':
      return convertCommand(rule, specifier)
    case 'Read':
    case 'LS':
    case 'Glob':
    case 'Grep':
      return convertPath(rule, specifier, READS)
    case 'Edit':
    case 'Write':
    case 'MultiEdit':
    case 'NotebookEdit':
      return convertPath(rule, specifier, EDITS)
    case 'WebFetch':
      return convertDomain(rule, specifier)
    case 'Agent':
    case 'Task':
      return convertAgent(rule, specifier)
    default:
      return notCarried(place, `Rules of ${tool} with a specifier are not converted.`)
  }
}

function isStar(inside: string, tool: string): boolean {
  return /^\s*\*+\s*$/.test(inside) && !PATH_TOOLS.includes(tool)
}

function convertTool(rule: Rule): Converted {
  const { place, effect, tool } = rule
  if (tool === 'PowerShell' || tool === 'Monitor')
    return notCarried(place, `Rules know ${tool} and Bash by one name, shell.`)
  if (tool.includes('*') || /^mcp__(?:(?!__).)+$/.test(tool)) return convertToolPattern(rule)
  const known = Object.hasOwn(CLAUDE_NAMES, tool) ? CLAUDE_NAMES[tool] : undefined
  const name = known ?? toCanonical(tool)
  const shared = Object.keys(CLAUDE_NAMES).filter((one) => CLAUDE_NAMES[one] === known)
  const isShared = shared.some((one) => one !== tool)
  const aliases = known !== undefined || name === tool ? {} : { aliases: { [tool]: name } }
  return {
    ...place,
    conversion: isShared ? 'stricter' : 'exact',
    becomes: `${VERBS[effect]} every call of ${name}${isShared ? `, which is also ${shared.filter((one) => one !== tool).join(' and ')}` : ''}.`,
    restrictions: [{ effect, tools: [name], when: null, ...aliases }],
  }
}

function toCanonical(tool: string): string {
  if (CANONICAL.test(tool)) return tool
  return tool
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]/g, '_')
    .slice(0, 64)
}

/** All tools of a server, or whose name fits a pattern. An approval must name its tools, so such calls are denied. */
function convertToolPattern({ place, effect, tool }: Rule): Converted {
  if (tool.length > 100) return notCarried(place, TOO_LONG)
  const isServer = !tool.includes('*')
  const pattern = isServer ? `${tool}__*` : tool
  const fits = new RegExp(`^${pattern.split(/\*+/).map(escapePattern).join('.*')}$`, 's')
  const own = Object.keys(CLAUDE_NAMES).filter((name) => fits.test(name))
  const names = own.map((name) => CLAUDE_NAMES[name] ?? name)
  const when = toolCondition([...new Set([pattern, ...names])])
  const restrictions = [{ effect: 'deny', tools: 'every', when } as const]
  const all = `every call of ${isServer ? `the server ${tool.slice('mcp__'.length)}` : `a tool named ${tool}`}`
  return effect === 'deny'
    ? { ...place, conversion: 'exact', becomes: `Denies ${all}.`, restrictions }
    : {
        ...place,
        conversion: 'stricter',
        becomes: `Denies ${all}: a reviewer can be asked only about tools that a rule names.`,
        restrictions,
      }
}

function convertCommand({ place, effect }: Rule, specifier: string): Converted {
  if (/^command:[^*]/.test(specifier))
    return notNeeded(place, 'Claude Code ignores rules about a parameter of Bash.')
  const pattern = specifier
    .replace(/:\*$/, ' *')
    .replaceAll(/\\([()*\\])/g, (_, char: string) => (char === '*' ? '*' : char))
  const when = commandCondition(pattern)
  if (when === undefined) return notCarried(place, TOO_LONG)
  return {
    ...place,
    conversion: 'stricter',
    becomes: `${VERBS[effect]} commands that contain "${pattern}", including in a chain of commands or in quotes.`,
    restrictions: [{ effect, tools: ['shell'], when }],
  }
}

function convertPath(
  { place, effect, tool }: Rule,
  specifier: string,
  tools: readonly string[],
): Converted {
  if (specifier.startsWith('!')) return notCarried(place, 'Negated paths are not converted.')
  const conditions = pathConditions(specifier)
  if (conditions === undefined) return notCarried(place, TOO_LONG)
  const { files, commands } = conditions
  const what = `${tools === READS ? 'reads and edits' : 'edits'} of ${specifier}`
  const restrictions: Restriction[] = [{ effect, tools, when: files }]
  if (commands === null) {
    return notCarried(
      place,
      `${VERBS[effect]} ${what} by file tools. Commands that do the same are not covered.`,
      restrictions,
    )
  }
  restrictions.push({ effect, tools: ['shell'], when: commands })
  const ignored = ['Read', 'Edit'].includes(tool)
    ? ''
    : ` Claude Code itself ignores paths of ${tool}.`
  return {
    ...place,
    conversion: 'stricter',
    becomes: `${VERBS[effect]} ${what} in every folder, and commands that name the path.${ignored}`,
    restrictions,
  }
}

function convertDomain({ place, effect }: Rule, specifier: string): Converted {
  const host = /^domain:(\S+)$/.exec(specifier)?.[1]
  if (host === undefined)
    return notCarried(place, 'WebFetch rules name a domain, as domain:example.com.')
  const when = hostCondition(host)
  if (when === undefined) return notCarried(place, TOO_LONG)
  return {
    ...place,
    conversion: 'stricter',
    becomes: `${VERBS[effect]} web_fetch of addresses that name ${host} or a host below it.`,
    restrictions: [{ effect, tools: ['web_fetch'], when }],
  }
}

function convertAgent({ place, effect }: Rule, specifier: string): Converted {
  if (/[*:]/.test(specifier) || specifier.length > 200)
    return notCarried(place, 'Only rules with the name of one agent are converted.')
  const when = `!has(args.subagent_type) || args.subagent_type == ${JSON.stringify(specifier)}`
  return {
    ...place,
    conversion: 'stricter',
    becomes: `${VERBS[effect]} agents of the type ${specifier}, and those without a type.`,
    restrictions: [{ effect, tools: ['task'], when }],
  }
}
