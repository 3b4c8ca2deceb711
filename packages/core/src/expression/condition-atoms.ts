// Takes a condition apart into the smallest parts that are true or false, for a search that tries every way in which they can come out.
import type { ExpressionProgram } from '../model/expression-engine.ts'
import type { JsonValue } from '../model/json.ts'
import { programMaker } from './program.ts'
import { type ReadSource, readSource } from './read-source.ts'
import { type Expr, listChildren } from './syntax-tree.ts'

export type Literal = string | number | boolean | null

/** A part of a condition without `&&`, `||`, `!` and `?:`, whose value is true or false, or an error. */
export interface Atom {
  /** Every value that it reads, from its variable on: `['args', 'path']`. The key is null where it is the name of the tool. */
  readonly paths: readonly (readonly (string | null)[])[]
  /** Constants in it, in order. */
  readonly literals: readonly Literal[]
  readonly form: AtomForm
  /** The engine's own evaluation of it. */
  readonly program: ExpressionProgram
}

/**
 * `compared`: a value with a constant, except for the order of texts. `measured`: the size of a value with a constant. The names of
 * methods: a text with a constant. `present`: a value itself, or whether it exists. `other`: anything else.
 */
export type AtomForm =
  | 'compared'
  | 'measured'
  | 'startsWith'
  | 'endsWith'
  | 'contains'
  | 'matches'
  | 'present'
  | 'other'

/** null: the source is not a condition over `variables`. Keep the reader, because making one takes a few milliseconds. */
export type AtomReader = (source: string, variables: readonly string[]) => readonly Atom[] | null

export function atomReader(): AtomReader {
  const makeProgram = programMaker()
  const known = new Map<string, readonly Atom[] | null>()
  return (source, variables) => {
    const key = `${variables.join()} ${source}`
    const before = known.get(key)
    if (before !== undefined) return before
    const atoms = readAtoms(source, variables, makeProgram)
    known.set(key, atoms)
    return atoms
  }
}

function readAtoms(
  source: string,
  variables: readonly string[],
  makeProgram: ReturnType<typeof programMaker>,
): readonly Atom[] | null {
  const result = readSource(source, variables)
  if (!result.ok) return null
  const { read } = result
  // The programs consume the tree, so the atoms are described before any of them is made.
  const found = listAtoms(read.parsed.expr).map((expr) => ({ expr, ...describe(expr) }))
  return found.map(({ expr, ...atom }) => ({
    ...atom,
    program: makeProgram({ ...read, parsed: { ...read.parsed, expr } } satisfies ReadSource),
  }))
}

const CONNECTIVES = new Set(['_&&_', '_||_', '!_', '_?_:_'])

function listAtoms(expr: Expr): readonly Expr[] {
  const { exprKind } = expr
  if (exprKind.case === 'constExpr') return []
  if (exprKind.case === 'callExpr' && CONNECTIVES.has(exprKind.value.function))
    return exprKind.value.args.flatMap(listAtoms)
  return [expr]
}

function describe(expr: Expr): Omit<Atom, 'program'> {
  const paths: (readonly (string | null)[])[] = []
  const literals: Literal[] = []
  collect(expr, paths, literals)
  return { paths, literals, form: findForm(expr) }
}

function collect(expr: Expr, paths: (readonly (string | null)[])[], literals: Literal[]): void {
  const path = readPath(expr)
  if (path !== null) {
    paths.push(path)
    return
  }
  const literal = readLiteral(expr)
  if (literal !== undefined) {
    literals.push(literal)
    return
  }
  for (const child of listChildren(expr)) collect(child, paths, literals)
}

/** null: the node is not a value below a variable. Names that a loop introduces count as variables, too. */
function readPath({ exprKind }: Expr): readonly (string | null)[] | null {
  switch (exprKind.case) {
    case 'identExpr':
      return [exprKind.value.name]
    case 'selectExpr': {
      const { operand, field } = exprKind.value
      const path = operand === undefined ? null : readPath(operand)
      return path === null ? null : [...path, field]
    }
    case 'callExpr': {
      const [operand, key] = exprKind.value.args
      if (exprKind.value.function !== '_[_]' || operand === undefined || key === undefined)
        return null
      const path = readPath(operand)
      const name = readLiteral(key)
      if (path === null) return null
      if (typeof name === 'string') return [...path, name]
      const isTool = key.exprKind.case === 'identExpr' && key.exprKind.value.name === 'tool'
      return isTool ? [...path, null] : null
    }
    default:
      return null
  }
}

/** undefined: the node is not a constant of JSON. */
function readLiteral({ exprKind }: Expr): Literal | undefined {
  if (exprKind.case === 'callExpr' && exprKind.value.function === '-_') {
    const [operand] = exprKind.value.args
    const value = operand === undefined ? undefined : readLiteral(operand)
    return typeof value === 'number' ? -value : undefined
  }
  if (exprKind.case !== 'constExpr') return undefined
  const { case: kind, value } = exprKind.value.constantKind
  switch (kind) {
    case 'int64Value':
    case 'uint64Value':
      return Number(value)
    case 'doubleValue':
    case 'stringValue':
    case 'boolValue':
      return value
    case 'nullValue':
      return null
    default:
      return undefined
  }
}

const COMPARISONS = new Set(['_==_', '_!=_', '_<_', '_<=_', '_>_', '_>=_'])
const TEXT_FORMS: ReadonlySet<string> = new Set(['startsWith', 'endsWith', 'contains', 'matches'])

function findForm(expr: Expr): AtomForm {
  if (readPath(expr) !== null) return 'present'
  const { exprKind } = expr
  if (exprKind.case !== 'callExpr') return 'other'
  const { function: name, args, target } = exprKind.value
  if (COMPARISONS.has(name)) return findComparison(name, args)
  const [value, list] = args
  if (name === '@in' && value !== undefined && readPath(value) !== null)
    return isListOfLiterals(list) ? 'compared' : 'other'
  const isText = TEXT_FORMS.has(name) && target !== undefined && readPath(target) !== null
  return isText && typeof (value && readLiteral(value)) === 'string' ? (name as AtomForm) : 'other'
}

function findComparison(name: string, args: readonly Expr[]): AtomForm {
  const constants = args.map(readLiteral).filter((literal) => literal !== undefined)
  const [value] = args.filter((arg) => readLiteral(arg) === undefined)
  if (constants.length !== 1 || value === undefined) return 'other'
  const isOrdered = typeof constants[0] === 'string' && name !== '_==_' && name !== '_!=_'
  if (readPath(value) !== null) return isOrdered ? 'other' : 'compared'
  return readSizeOperand(value) === null ? 'other' : 'measured'
}

/** Path of what `size(value)` or `value.size()` measures; null: the node is neither. */
function readSizeOperand({ exprKind }: Expr): readonly (string | null)[] | null {
  if (exprKind.case !== 'callExpr' || exprKind.value.function !== 'size') return null
  const operand = exprKind.value.target ?? exprKind.value.args[0]
  return operand === undefined ? null : readPath(operand)
}

function isListOfLiterals(list: Expr | undefined): boolean {
  return (
    list?.exprKind.case === 'listExpr' &&
    list.exprKind.value.elements.every((element) => readLiteral(element) !== undefined)
  )
}

/** How the atom comes out for one value of an argument: true, false, or null for an error. */
export function testAtom({ program }: Atom, args: JsonValue): boolean | null {
  try {
    const value = program.evaluate({ args, tool: '' })
    return typeof value === 'boolean' ? value : null
  } catch {
    return null
  }
}
