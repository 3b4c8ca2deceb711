import { parse } from '@bufbuild/cel'
import { checkTree, type Objection, type Patterns } from './check-tree.ts'
import { MAX_BRACKETS, MAX_SOURCE_LENGTH } from './limits.ts'
import { placed } from './place.ts'
import { findOffset, type Parsed } from './syntax-tree.ts'

export interface ReadSource {
  readonly source: string
  readonly variables: readonly string[]
  readonly parsed: Parsed
  readonly patterns: Patterns
}

export interface Refusal {
  readonly ok: false
  readonly message: string
}

/** Never throws. */
export function readSource(
  source: string,
  variables: readonly string[],
): { readonly ok: true; readonly read: ReadSource } | Refusal {
  if (source.length > MAX_SOURCE_LENGTH)
    return refused(`The expression is longer than ${MAX_SOURCE_LENGTH} characters.`)
  const { deepest, unclosed } = readBrackets(source)
  if (deepest > MAX_BRACKETS)
    return refused(`The expression has more than ${MAX_BRACKETS} brackets within brackets.`)
  try {
    const parsed = parse(blankComments(source))
    const { objections, patterns } = checkTree(parsed.expr, variables)
    if (objections.length > 0) return refused(firstSentence(objections, source, parsed))
    return { ok: true, read: { source, variables, parsed, patterns } }
  } catch (error) {
    // The parser would report the place where it gave up, which is often far before it.
    if (unclosed !== undefined)
      return refused(placed(source, unclosed, 'this bracket is not closed'))
    return refused(syntaxSentence(error instanceof Error ? error.message : String(error), source))
  }
}

export function refused(message: string): Refusal {
  return { ok: false, message }
}

function firstSentence(objections: readonly Objection[], source: string, parsed: Parsed): string {
  const inOrder = objections
    .map(({ id, sentence }) => ({ sentence, offset: findOffset(id, parsed.sourceInfo) }))
    .sort((a, b) => (a.offset ?? 0) - (b.offset ?? 0))
  const [first] = inOrder
  return first === undefined ? '' : placed(source, first.offset, first.sentence)
}

/** Formats a syntax error. A long list of expected tokens is left out, because it does not help. */
function syntaxSentence(message: string, source: string): string {
  const [, line, column, rest = ''] = /^<input>:(\d+):(\d+): ([\s\S]*)$/.exec(message) ?? []
  if (line === undefined) return `The expression cannot be read: ${message}.`
  const place = `Line ${line}, column ${column}`
  const [found, expected = ''] = rest.split(' but expecting ')
  if (expected === 'end of input') {
    const isAssignment = /^=[^=]/.test(
      source.split('\n')[Number(line) - 1]?.slice(Number(column) - 1) ?? '',
    )
    return `${place}: ${isAssignment ? 'write == to compare' : 'the expression cannot be read from here on'}.`
  }
  const hint = expected !== '' && expected.length <= 40 ? `, expected ${expected}` : ''
  return `${place}: ${found}${hint}.`
}

/** Matches comments, strings and brackets. Raw strings come first, because a backslash escapes nothing in them. */
const TOKENS =
  /\/\/[^\r\n]*|(?:[rR][bB]?|[bB][rR])(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"[^"\n]*"|'[^'\n]*')|"""(?:\\[\s\S]|[^\\])*?"""|'''(?:\\[\s\S]|[^\\])*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[([{]|[)\]}]/g

/** The parser demands a line break after a comment, which the last line lacks. Blanks keep the positions of all parts. */
function blankComments(source: string): string {
  return source.replace(TOKENS, (token) =>
    token.startsWith('//') ? ' '.repeat(token.length) : token,
  )
}

/**
 * Read before the parser runs, so that the result does not depend on the size of the parser's stack.
 * `unclosed`: offset of the innermost bracket that stays open; absent: none does.
 */
function readBrackets(source: string): { deepest: number; unclosed: number | undefined } {
  const open: number[] = []
  let deepest = 0
  for (const { 0: token, index } of source.matchAll(TOKENS)) {
    if (token === '(' || token === '[' || token === '{') open.push(index)
    else if (token === ')' || token === ']' || token === '}') open.pop()
    deepest = Math.max(deepest, open.length)
  }
  return { deepest, unclosed: open.at(-1) }
}
