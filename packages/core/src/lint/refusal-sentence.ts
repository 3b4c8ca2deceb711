// Sentences for the engine's refusals: the problem and its fix.
import { MAX_CHECKER_DEPTH } from '../kinds/checkers.ts'
import type { Problem } from '../model/problem.ts'
import type { Refusal } from '../model/refusal.ts'

export function toProblem(refusal: Refusal): Problem {
  const { pointer, code, severity } = refusal
  return { pointer, code, severity, message: describeRefusal(refusal) }
}

function describeRefusal(refusal: Refusal): string {
  switch (refusal.code) {
    case 'duplicate_rule_id':
      return `The rule id "${refusal.name}" is already used at ${refusal.first}. Give this one another id.`
    case 'duplicate_tool':
      return `The tool "${refusal.name}" is already declared at ${refusal.first}. Declare it in one section only.`
    case 'unknown_type':
      return `The type "${refusal.name}" is not known here. Use one of: ${refusal.known.join(', ')}, or a custom type that the runtime has code for.`
    case 'skipped_unknown_type':
      return `The type "${refusal.name}" is not known here, so this optional rule is skipped.`
    case 'expression_invalid':
      return refusal.message
    case 'expression_condition':
      return 'An expression needs exactly one condition: "deny_when", which denies the call when it is true, or "require", which denies it when it is false.'
    case 'expression_engine_missing':
      return 'Nothing here can evaluate expressions. Give celExpressions() of @signalbox/core/expression as the option "expressions".'
    case 'too_deep':
      return `Checkers are nested deeper than ${MAX_CHECKER_DEPTH}. Flatten the tree.`
    default:
      return refusal satisfies never
  }
}
