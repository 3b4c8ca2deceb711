// Compiles only documents without errors, including errors that the engine could tolerate: the entry point for everything that publishes,
// loads or validates a document (specs/config.md).

import { type CompiledConfig, compileConfig } from '../engine/compile.ts'
import type { CompileOptions } from '../kinds/compile-options.ts'
import type { ConfigDocument } from '../kinds/config.ts'
import type { PlacedDocument } from '../kinds/placed.ts'
import type { Problem } from '../model/problem.ts'
import { authoringErrors } from './authoring-errors.ts'
import { toProblem } from './refusal-sentence.ts'

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

/** Names first, then rule by rule, in reading order of the document. */
function byKind(a: Problem, b: Problem): number {
  return rankProblem(a) - rankProblem(b)
}

const NAMES = ['duplicate_section_id', 'duplicate_tool', 'duplicate_rule_id']
const ORDERS = [
  'too_many_prerequisites',
  'self_dependency',
  'dependency_cycle',
  'unmet_prerequisite',
]
const PLACES = ['/feedback_providers', '/task_completion_checker', '/lease']

function rankProblem({ code, pointer }: Problem): number {
  if (NAMES.includes(code)) return NAMES.indexOf(code)
  const place = PLACES.findIndex((start) => pointer.startsWith(start))
  if (place >= 0) return NAMES.length + 2 + place
  return NAMES.length + (ORDERS.includes(code) ? 1 : 0)
}
