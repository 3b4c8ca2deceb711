// Checks the permitted content of an expression (specs/expressions.md) before it runs: names, functions with their number of arguments,
// literal patterns, and the total size. The parser checks none of this.
import { RE2JS } from '@bufbuild/re2'
import { MAX_DEPTH, MAX_NODES, MAX_PATTERN_SIZE } from './limits.ts'
import { type Call, type Expr, listChildren, literalText } from './syntax-tree.ts'
import { CALLABLE, FUNCTIONS, MACROS, METHODS, TYPE_NAMES } from './vocabulary.ts'

/** Compiled patterns by their text. */
export type Patterns = ReadonlyMap<string, RE2JS>

export interface Objection {
  /** The node that is objected to. */
  readonly id: bigint
  /** Starts in lower case and has no period: the position precedes it. */
  readonly sentence: string
}

export interface CheckedTree {
  readonly patterns: Patterns
  /** In no particular order; none: the tree may run. */
  readonly objections: readonly Objection[]
}

/** Visits every node once, and goes no deeper when the tree is too large. */
export function checkTree(root: Expr, variables: readonly string[]): CheckedTree {
  const check = new TreeCheck(variables)
  check.visit(root, new Set([...variables, ...TYPE_NAMES]), 1)
  return check
}

class TreeCheck implements CheckedTree {
  readonly patterns = new Map<string, RE2JS>()
  readonly objections: Objection[] = []
  private readonly variables: readonly string[]
  private nodes = 0

  constructor(variables: readonly string[]) {
    this.variables = variables
  }

  visit(expr: Expr, names: ReadonlySet<string>, depth: number): void {
    this.nodes += 1
    const tooLarge = this.tooLarge(depth)
    if (tooLarge !== null) {
      this.object(expr, tooLarge)
      return
    }
    this.inspect(expr, names)
    const { exprKind } = expr
    const loop = exprKind.case === 'comprehensionExpr' ? exprKind.value : null
    const inside = loop === null ? names : new Set([...names, loop.iterVar, loop.accuVar])
    for (const child of listChildren(expr)) {
      this.visit(child, child === loop?.iterRange ? names : inside, depth + 1)
    }
  }

  private tooLarge(depth: number): string | null {
    if (this.nodes > MAX_NODES) return `more than ${MAX_NODES} parts; make several rules of it`
    if (depth > MAX_DEPTH) return `more than ${MAX_DEPTH} levels; make several rules of it`
    return null
  }

  private object(expr: Expr, sentence: string): void {
    this.objections.push({ id: expr.id, sentence })
  }

  private inspect(expr: Expr, names: ReadonlySet<string>): void {
    const { exprKind } = expr
    if (exprKind.case === 'identExpr' && !names.has(exprKind.value.name)) {
      const known = this.variables.join(', ')
      this.object(
        expr,
        `'${exprKind.value.name}' is not a name that may be used here; there are ${known}`,
      )
    }
    if (exprKind.case === 'structExpr' && exprKind.value.messageName !== '')
      this.object(expr, `'${exprKind.value.messageName}' is a message, and there are none here`)
    if (exprKind.case === 'callExpr') {
      const sentence = objectionToCall(exprKind.value)
      if (sentence !== null) this.object(expr, sentence)
      else if (exprKind.value.function === 'matches') this.inspectPattern(expr, exprKind.value)
    }
  }

  private inspectPattern(expr: Expr, call: Call): void {
    const pattern = literalText(call.args[0])
    if (pattern === null) {
      this.object(expr, 'the pattern of matches() must be written out as a string')
      return
    }
    try {
      const compiled = RE2JS.compile(pattern)
      if (compiled.re2().prog.inst.length > MAX_PATTERN_SIZE)
        this.object(expr, 'the pattern of matches() is too large; repeat less')
      this.patterns.set(pattern, compiled)
    } catch (error) {
      this.object(expr, error instanceof Error ? error.message : String(error))
    }
  }
}

/** Operators have names that no source can write. */
function objectionToCall({ function: name, target, args }: Call): string | null {
  if (!/^\w+$/.test(name)) return null
  const form = MACROS.get(name)
  if (form !== undefined) return `'${name}' is written ${form}`
  const expected = (target === undefined ? FUNCTIONS : METHODS).get(name)
  if (expected === undefined)
    return `'${name}' is not a function that may be called here; there are ${CALLABLE}`
  if (args.length === expected) return null
  return `'${name}' takes ${expected === 0 ? 'no argument' : '1 argument'} here, not ${args.length}`
}
