// Everything that publishes, loads or validates a document uses this entry point (specs/config.md).
import { type CompiledConfig, compileConfig } from '../engine/compile.ts'
import { MAX_CHECKER_DEPTH } from '../kinds/checkers.ts'
import type { CompileOptions } from '../kinds/compile-options.ts'
import type { ConfigDocument } from '../kinds/config.ts'
import type { PlacedDocument } from '../kinds/placed.ts'
import type { Problem } from '../model/problem.ts'
import type { Refusal } from '../model/refusal.ts'
import { authoringErrors } from './authoring-errors.ts'

export type CheckedResult =
  | { readonly ok: true; readonly config: CompiledConfig; readonly problems: readonly Problem[] }
  | { readonly ok: false; readonly problems: readonly Problem[] }

/** `problems`: all errors of the document, and the optional rules that are skipped. */
export function compileChecked(
  document: ConfigDocument,
  options: CompileOptions = {},
  placed?: PlacedDocument,
): CheckedResult {
  const compiled = compileConfig(document, options)
  const errors = authoringErrors(document, placed)
  const problems = [...compiled.problems.map(toProblem), ...errors].sort(byKind)
  return compiled.ok && errors.length === 0
    ? { ok: true, config: compiled.config, problems }
    : { ok: false, problems }
}

/** Repeated names first, then rule by rule, in the reading order of the document. */
function byKind(a: Problem, b: Problem): number {
  return rankProblem(a) - rankProblem(b)
}

const NAMES = ['duplicate_section_id', 'duplicate_tool', 'duplicate_rule_id']
const PLACES = ['/content', '/feedback_providers', '/task_completion_checker', '/lease']

function rankProblem({ code, pointer }: Problem): number {
  if (NAMES.includes(code)) return NAMES.indexOf(code)
  const place = PLACES.findIndex((start) => pointer.startsWith(start))
  return NAMES.length + 1 + place
}

function toProblem(refusal: Refusal): Problem {
  const { pointer, code, severity } = refusal
  return { pointer, code, severity, message: describeRefusal(refusal) }
}

function describeRefusal(refusal: Refusal): string {
  switch (refusal.code) {
    case 'duplicate_rule_id':
      return `The rule id "${refusal.name}" is already used at ${refusal.first}. Use a different id here.`
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
      return 'No engine for expressions is configured. Pass celExpressions() from @signalbox/core/expression as the option "expressions".'
    case 'too_deep':
      return `Checkers are nested deeper than ${MAX_CHECKER_DEPTH}. Flatten the tree.`
    default:
      return refusal satisfies never
  }
}
