// Reads the rules of Codex: calls of `prefix_rule` with literal arguments. Nothing is evaluated; anything else is reported with its line.

/** JSON-like value of a literal; undefined in `read`: not a literal. */
type Literal = string | boolean | null | readonly Literal[]

export interface CodexStatement {
  /** From 1. */
  readonly line: number
  readonly text: string
  /** Name of the called function; null: the statement is not a call with literal arguments. */
  readonly call: string | null
  readonly args: { readonly [name: string]: Literal }
}

const TOKEN =
  /(?<space>\s+|#[^\n]*)|(?<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|(?<word>[A-Za-z_]\w*)|(?<sign>[^\s])/gy

interface Token {
  readonly kind: 'text' | 'word' | 'sign'
  readonly text: string
  readonly start: number
}

export function readCodexRules(text: string): readonly CodexStatement[] {
  const tokens = [...text.matchAll(TOKEN)].flatMap(({ index, groups = {} }): Token[] => {
    const { text: quoted, word, sign } = groups
    if (quoted !== undefined) return [{ kind: 'text', text: quoted, start: index }]
    if (word !== undefined) return [{ kind: 'word', text: word, start: index }]
    return sign === undefined ? [] : [{ kind: 'sign', text: sign, start: index }]
  })
  return splitStatements(text, tokens).map((own) => readStatement(text, own))
}

/** A statement ends where a new line begins outside of all brackets. */
function splitStatements(text: string, tokens: readonly Token[]): readonly (readonly Token[])[] {
  const statements: Token[][] = []
  let depth = 0
  let end = 0
  for (const token of tokens) {
    const isNew = depth === 0 && text.slice(end, token.start).includes('\n')
    const current = statements.at(-1)
    if (current === undefined || isNew) statements.push([token])
    else current.push(token)
    if (token.kind === 'sign' && '([{'.includes(token.text)) depth += 1
    if (token.kind === 'sign' && ')]}'.includes(token.text)) depth = Math.max(0, depth - 1)
    end = token.start + token.text.length
  }
  return statements
}

function readStatement(text: string, tokens: readonly Token[]): CodexStatement {
  const [first, last] = [tokens[0], tokens.at(-1)]
  const start = first?.start ?? 0
  const whole = text.slice(start, (last?.start ?? 0) + (last?.text.length ?? 0))
  const line = text.slice(0, start).split('\n').length
  const read = new Reader(tokens).call()
  return read === null
    ? { line, text: whole, call: null, args: {} }
    : { line, text: whole, ...read }
}

class Reader {
  readonly #tokens: readonly Token[]
  #next = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  /** null: not a call with literal arguments by name. */
  call(): (Pick<CodexStatement, 'args'> & { readonly call: string }) | null {
    const name = this.#take('word')
    if (name === null || !this.#skip('(')) return null
    const args: Record<string, Literal> = {}
    while (!this.#skip(')')) {
      const key = this.#take('word')
      if (key === null || !this.#skip('=')) return null
      const value = this.#literal()
      if (value === undefined) return null
      args[key] = value
      if (!this.#skip(',') && this.#peek()?.text !== ')') return null
    }
    return this.#peek() === undefined ? { call: name, args } : null
  }

  #peek(): Token | undefined {
    return this.#tokens[this.#next]
  }

  #take(kind: Token['kind']): string | null {
    const token = this.#peek()
    if (token?.kind !== kind) return null
    this.#next += 1
    return token.text
  }

  #skip(sign: string): boolean {
    const token = this.#peek()
    if (token?.kind !== 'sign' || token.text !== sign) return false
    this.#next += 1
    return true
  }

  #literal(): Literal | undefined {
    const quoted = this.#take('text')
    if (quoted !== null) return unquote(quoted)
    const word = this.#take('word')
    if (word !== null) return { True: true, False: false, None: null }[word]
    if (!this.#skip('[')) return undefined
    const items: Literal[] = []
    while (!this.#skip(']')) {
      const item = this.#literal()
      if (item === undefined) return undefined
      items.push(item)
      if (!this.#skip(',') && this.#peek()?.text !== ']') return undefined
    }
    return items
  }
}

/** undefined: an escape that is not converted. */
function unquote(quoted: string): string | undefined {
  const inside = quoted.slice(1, -1)
  if (/\\[^\\'"]/.test(inside)) return undefined
  return inside.replaceAll(/\\([\\'"])/g, '$1')
}
