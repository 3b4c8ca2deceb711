// What compiling a document needs and finds on its way: names that are taken, and what refuses the document.
import { type CompileOptions, isAnswered } from './compile-options.ts'
import { pointerTo } from './json.ts'
import type { Problem } from './problem.ts'

export interface Compilation {
  readonly options: CompileOptions
  /** Grows; in document order. */
  readonly problems: Problem[]
  /** Where each rule id was seen first; grows. */
  readonly rules: Map<string, string>
  /** Where each tool was declared first; grows. */
  readonly tools: Map<string, string>
}

export function refuse(
  { problems }: Compilation,
  pointer: string,
  why: Pick<Problem, 'code' | 'message'>,
): void {
  problems.push({ pointer, severity: 'error', ...why })
}

/** `pointer` is where the condition stands. */
export function refuseWithoutEngine(compilation: Compilation, pointer: string): null {
  const message =
    'Nothing here can evaluate expressions. Compile with the engine of @signalbox/core/expression.'
  refuse(compilation, pointer, { code: 'expression_engine_missing', message })
  return null
}

/** A tool of two sections would escape the rules of one of them. */
export function declareTool(compilation: Compilation, tool: string, pointer: string): void {
  const first = compilation.tools.get(tool)
  if (first === undefined) compilation.tools.set(tool, pointer)
  else {
    const message = `The tool "${tool}" is already declared at ${first}. Declare it in one section only.`
    refuse(compilation, pointer, { code: 'duplicate_tool', message })
  }
}

interface AnyRule {
  readonly id: string
  readonly type: string
  readonly optional?: boolean
}

/**
 * Whether the rule is compiled: its type is among those `known`, or code outside core answers for it. Rules of one id would
 * share their state, so the second refuses the document.
 */
export function admits(
  compilation: Compilation,
  { id, type, optional = false }: AnyRule,
  { pointer, known }: { readonly pointer: string; readonly known: readonly string[] },
): boolean {
  const first = compilation.rules.get(id)
  if (first === undefined) compilation.rules.set(id, pointer)
  else {
    const message = `The rule id "${id}" is already used at ${first}. Give this one another id.`
    refuse(compilation, pointerTo(pointer, 'id'), { code: 'duplicate_rule_id', message })
  }
  if (known.includes(type) || isAnswered(type, compilation.options)) return true
  compilation.problems.push(unknownType(type, { pointer, known, optional }))
  return false
}

function unknownType(
  type: string,
  {
    pointer,
    known,
    optional,
  }: { readonly pointer: string; readonly known: readonly string[]; readonly optional: boolean },
): Problem {
  const what = `The type "${type}" is not known here`
  const at = pointerTo(pointer, 'type')
  if (optional) {
    const message = `${what}, so this optional rule is skipped.`
    return { pointer: at, code: 'skipped_unknown_type', severity: 'warning', message }
  }
  const message = `${what}. Use one of: ${known.join(', ')}, or a custom type that the runtime has code for.`
  return { pointer: at, code: 'unknown_type', severity: 'error', message }
}
