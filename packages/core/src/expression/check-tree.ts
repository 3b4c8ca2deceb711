// Checks what the parser does not: names, functions, literal patterns and total size (specs/expressions.md).
import { RE2JS } from '@bufbuild/re2'
import { MAX_DEPTH, MAX_NODES, MAX_PATTERN_SIZE } from './limits.ts'
import { type Call, type Expr, listChildren, literalText } from './syntax-tree.ts'

// A closed list, so that a new version of the evaluator adds nothing (specs/expressions.md). Deliberately left out: timestamps and
// durations (time zones differ between machines), messages, extensions.

/** Number of arguments of functions that are called without a value. */
const FUNCTIONS: ReadonlyMap<string, number> = new Map([
  ['size', 1],
  ['int', 1],
  ['uint', 1],
  ['double', 1],
  ['bool', 1],
  ['string', 1],
  ['bytes', 1],
  ['type', 1],
  ['dyn', 1],
])

/** Number of arguments of functions that are called on a value. */
const METHODS: ReadonlyMap<string, number> = new Map([
  ['size', 0],
  ['contains', 1],
  ['startsWith', 1],
  ['endsWith', 1],
  ['matches', 1],
])

/** Syntax of macros. The parser replaces correctly written macros, so any that remains is an error. */
const MACROS: ReadonlyMap<string, string> = new Map([
  ['has', 'has(map.key)'],
  ['all', 'list.all(name, condition)'],
  ['exists', 'list.exists(name, condition)'],
  ['exists_one', 'list.exists_one(name, condition)'],
  ['existsOne', 'list.existsOne(name, condition)'],
  ['map', 'list.map(name, value)'],
  ['filter', 'list.filter(name, condition)'],
])

const TYPE_NAMES: readonly string[] =
  'int uint double bool string bytes list map null_type type'.split(' ')

const CALLABLE: string = [
  ...new Set([...FUNCTIONS.keys(), ...METHODS.keys(), ...MACROS.keys()]),
].join(', ')

export type Patterns = ReadonlyMap<string, RE2JS>

export interface Objection {
  readonly id: bigint
  /** Starts in lower case and has no period, because the position precedes it. */
  readonly sentence: string
}

export interface CheckedTree {
  readonly patterns: Patterns
  /** In no particular order. Empty: the tree may run. */
  readonly objections: readonly Objection[]
}

/** Visits every node once; goes no deeper when the tree is too large. */
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
    if (this.nodes > MAX_NODES) return `more than ${MAX_NODES} parts; split it into several rules`
    if (depth > MAX_DEPTH) return `more than ${MAX_DEPTH} levels; split it into several rules`
    return null
  }

  private object(expr: Expr, sentence: string): void {
    this.objections.push({ id: expr.id, sentence })
  }

  private inspect(expr: Expr, names: ReadonlySet<string>): void {
    const { exprKind } = expr
    if (exprKind.case === 'identExpr' && !names.has(exprKind.value.name)) {
      const known = this.variables.join(', ')
      this.object(expr, `'${exprKind.value.name}' is not a known name; use one of ${known}`)
    }
    if (exprKind.case === 'structExpr' && exprKind.value.messageName !== '')
      this.object(
        expr,
        `'${exprKind.value.messageName}' is a message, and messages are not supported`,
      )
    if (exprKind.case === 'callExpr') {
      const sentence = objectionToCall(exprKind.value)
      if (sentence !== null) this.object(expr, sentence)
      else if (exprKind.value.function === 'matches') this.inspectPattern(expr, exprKind.value)
    }
  }

  private inspectPattern(expr: Expr, call: Call): void {
    const pattern = literalText(call.args[0])
    if (pattern === null) {
      this.object(expr, 'the pattern of matches() must be a string literal')
      return
    }
    try {
      const compiled = RE2JS.compile(pattern)
      if (compiled.re2().prog.inst.length > MAX_PATTERN_SIZE)
        this.object(expr, 'the pattern of matches() is too large; use fewer repetitions')
      this.patterns.set(pattern, compiled)
    } catch (error) {
      this.object(expr, error instanceof Error ? error.message : String(error))
    }
  }
}

/** Operators have names that no source can contain. */
function objectionToCall({ function: name, target, args }: Call): string | null {
  if (!/^\w+$/.test(name)) return null
  const form = MACROS.get(name)
  if (form !== undefined) return `'${name}' must be written as ${form}`
  const expected = (target === undefined ? FUNCTIONS : METHODS).get(name)
  if (expected === undefined) return `'${name}' is not a known function; use one of ${CALLABLE}`
  if (args.length === expected) return null
  return `'${name}' takes ${expected === 0 ? 'no argument' : '1 argument'} here, not ${args.length}`
}
