// Builds CEL conditions that hold for every call that a pattern of a permission file matches, and for few others. Commands and paths are
// matched as text, so a condition accepts more than one spelling: another folder, a quoted word, a place in a chain of commands.

/** Longest pattern that surely fits into one compiled expression of a rule. */
const MOST_CHARACTERS = 150

const GAP = '["\']?[\\s\\\\]+["\']?'
const BEFORE_COMMAND = '(?:^|[^\\w.-])'
/** End of one command in a chain: a character that no plain word begins with, or a redirection. */
const AFTER_COMMAND = '["\']?\\s*(?:$|[^\\w\\s./:@=+~,%-]|\\d*[<>])'

export function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

function matches(value: string, pattern: string): string {
  return `${value}.matches(${JSON.stringify(pattern)})`
}

function escapeWords(text: string): string {
  const [start, end] = [/^\s/.test(text) ? GAP : '', /\s$/.test(text) ? GAP : '']
  const words = text.split(/\s+/).filter((word) => word !== '')
  return words.length === 0 ? GAP : `${start}${words.map(escapePattern).join(GAP)}${end}`
}

/**
 * Condition on a command that contains the pattern, alone or in a chain. `*` stands for any text, and ` *` at the end also for none. null:
 * every command. undefined: the pattern is too long.
 */
export function commandCondition(pattern: string): string | null | undefined {
  if (pattern.length > MOST_CHARACTERS) return undefined
  const hasArguments = /\s\*$/.test(pattern)
  const parts = (hasArguments ? pattern.replace(/\s+\*$/, '') : pattern).split(/\*+/)
  if (parts.every((part) => part.trim() === '')) return null
  const isOpen = !hasArguments && parts.at(-1) === ''
  const after = hasArguments ? '(?:$|\\W)' : isOpen ? '' : AFTER_COMMAND
  const body = parts.map((part) => (part === '' ? '' : escapeWords(part))).join('.*')
  const before = parts[0] === '' ? '' : BEFORE_COMMAND
  return matches('args.command', `(?s)${before}${body}${after}`)
}

/** Condition on a command that begins with words, each one of several alternatives. undefined: they are too long. */
export function prefixCondition(words: readonly (readonly string[])[]): string | undefined {
  if (words.flat().join(' ').length > MOST_CHARACTERS) return undefined
  const body = words.map((choice) => `(?:${choice.map(escapeWords).join('|')})`).join(GAP)
  return matches('args.command', `(?s)${BEFORE_COMMAND}${body}(?:$|\\W)`)
}

const SEPARATOR = '[/\\\\]+(?:\\.[/\\\\]+)*'
/** A path that leaves a folder again, whose text does not show where it leads. */
const LEAVES = '[/\\\\]\\.\\.(?:[/\\\\]|$)'

/** Pattern of a glob in the syntax of .gitignore, without its base. */
function globPattern(glob: string): string {
  const tokens = glob.match(/\*\*\/|\*+|\?|\[[^\]]*\]|\\.|\/+|[^*?[\\/]+|./gs) ?? []
  return tokens
    .map((token) => {
      if (token === '**/') return `(?:.*${SEPARATOR})?`
      if (token === '*') return '[^/\\\\]*'
      if (token.startsWith('*')) return '.*'
      if (token === '?' || (token.startsWith('[') && token.length > 1)) return '[^/\\\\]'
      if (token.startsWith('/')) return SEPARATOR
      return escapePattern(token.length > 1 && token.startsWith('\\') ? token.slice(1) : token)
    })
    .join('')
}

export interface PathConditions {
  /** Condition on the path arguments of a file tool; null: every call. */
  readonly files: string | null
  /** Condition on a command that names the path; null: the pattern names no path that could be found in a command. */
  readonly commands: string | null
}

const PATHS = '["file_path", "path", "notebook_path", "glob"]'

/** undefined: the pattern is too long. The folder that a pattern is relative to is unknown, so it applies in every folder. */
export function pathConditions(glob: string): PathConditions | undefined {
  if (glob.length > MOST_CHARACTERS) return undefined
  const body = glob.replace(/^(?:~\/|\.\/|\/+)/, '').replace(/(?:\/\*\*|\/)+$/, '')
  if (/^[*/]*$/.test(body)) return { files: null, commands: null }
  const hidden = body.includes('/') ? `|${LEAVES}` : ''
  const file = `(?is)(?:^|[/\\\\])${globPattern(body)}(?:$|[/\\\\])${hidden}`
  const named = globPattern(/^(?:~\/|\/\/)/.test(glob) ? lastPart(body) : body)
  const command = `(?is)(?:^|[^\\w.-]|(?:^|[\\s"'])-\\w)${named}(?:$|[^\\w.-])`
  return {
    files: `${PATHS}.exists(name, name in args && ${matches('args[name]', file)})`,
    commands: matches('args.command', command),
  }
}

/** From the last name that is not only wildcards: a command in a folder on the way there names no more of the path. */
function lastPart(body: string): string {
  const segments = body.split('/')
  return segments.slice(segments.findLastIndex((name) => !/^\**$/.test(name))).join('/')
}

/** Condition on an address at the host or below it. Addresses with characters that browsers decode or drop in hosts match, too. */
export function hostCondition(host: string): string | null | undefined {
  if (host.length > MOST_CHARACTERS) return undefined
  if (/^[*.]*$/.test(host)) return null
  const body = host.split('*').map(escapePattern).join('[^/]*')
  const encoded = '^[^/\\\\?#]*[/\\\\]*[^/\\\\?#]*(?:%|[^!-~])'
  return matches('args.url', `(?is)(?:^|[^\\w-])${body}\\.?(?:$|[^\\w.-])|${encoded}`)
}

/** Condition on the name of a tool, with `*` for any text. */
export function toolCondition(names: readonly string[]): string {
  const patterns = names.map((name) => name.split(/\*+/).map(escapePattern).join('.*'))
  return matches('tool', `^(?:${patterns.join('|')})$`)
}
