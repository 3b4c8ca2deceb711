// Measures bracket depth before the parser runs, so that the answer does not depend on the size of its stack.

/** Comments, strings (raw ones first: there a backslash escapes nothing) and brackets. */
const TOKENS =
  /\/\/[^\n]*|(?:[rR][bB]?|[bB][rR])(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"[^"\n]*"|'[^'\n]*')|"""(?:\\[\s\S]|[^\\])*?"""|'''(?:\\[\s\S]|[^\\])*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[([{]|[)\]}]/g

/** The greatest number of brackets that are open at once outside strings and comments. */
export function bracketDepth(source: string): number {
  let depth = 0
  let deepest = 0
  for (const [token] of source.matchAll(TOKENS)) {
    if (token === '(' || token === '[' || token === '{') depth += 1
    else if (token === ')' || token === ']' || token === '}') depth -= 1
    deepest = Math.max(deepest, depth)
  }
  return deepest
}
