import { pointerTo } from '../model/json.ts'
import type { RefusalCause } from '../model/refusal.ts'
import { type Compilation, type ExpressionRules, isAnswered } from './compile-options.ts'

export function refuse({ problems }: Compilation, pointer: string, cause: RefusalCause): null {
  problems.push({ pointer, severity: 'error', ...cause })
  return null
}

/** Compiler of the condition or pattern at `pointer`; null: there is none here, so the document is refused. */
export function requireExpressions(
  compilation: Compilation,
  pointer: string,
): ExpressionRules | null {
  const { expressions } = compilation.options
  return expressions ?? refuse(compilation, pointer, { code: 'expression_engine_missing' })
}

/** Declares a tool once, because a tool in two sections would escape the rules of one of them. */
export function declareTool(compilation: Compilation, name: string, pointer: string): void {
  const first = compilation.tools.get(name)
  if (first === undefined) compilation.tools.set(name, pointer)
  else refuse(compilation, pointer, { code: 'duplicate_tool', name, first })
}

interface AnyRule {
  readonly id: string
  readonly type: string
  readonly optional?: boolean
}

/** True if the rule is compiled. A repeated id refuses the document, because rules with one id would share their state. */
export function admits(
  compilation: Compilation,
  { id, type: name, optional = false }: AnyRule,
  { pointer, known }: { readonly pointer: string; readonly known: readonly string[] },
): boolean {
  const { problems, rules, options } = compilation
  const first = rules.get(id)
  if (first === undefined) rules.set(id, pointer)
  else refuse(compilation, pointerTo(pointer, 'id'), { code: 'duplicate_rule_id', name: id, first })
  if (known.includes(name) || isAnswered(name, options)) return true
  const at = pointerTo(pointer, 'type')
  if (optional) {
    problems.push({ pointer: at, severity: 'warning', code: 'skipped_unknown_type', name, known })
  } else refuse(compilation, at, { code: 'unknown_type', name, known })
  return false
}
