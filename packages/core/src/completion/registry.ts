// Checker types by name; builds the tree.
import { type CompileOptions, isAnswered } from '../compile-options.ts'
import type { CheckerDocument, CompositeCheckerDocument, KnownCheckerDocument } from '../config.ts'
import { pointerTo } from '../json.ts'
import type { Checker } from './checker.ts'
import { customChecker } from './custom.ts'
import { expressionChecker } from './expression.ts'
import { filesExistChecker } from './files-exist.ts'
import { llmJudgeChecker } from './llm-judge.ts'
import { planChecker } from './plan.ts'
import { toolSucceededChecker } from './tool-succeeded.ts'

export const CHECKER_TYPES = [
  'plan',
  'files_exist',
  'composite',
  'tool_succeeded',
  'llm_judge',
  'expression',
] as const satisfies readonly KnownCheckerDocument['type'][]

export function isKnownChecker(document: CheckerDocument): document is KnownCheckerDocument {
  const known: readonly string[] = CHECKER_TYPES
  return known.includes(document.type)
}

/** Whether a checker is made of others. */
export function isComposite(document: CheckerDocument): document is CompositeCheckerDocument {
  return document.type === 'composite'
}

/** null: an optional checker of a type that nobody answers for here. */
export function compileChecker(
  document: CheckerDocument,
  pointer: string,
  options: CompileOptions,
): Checker | null {
  if (!isKnownChecker(document)) {
    return isAnswered(document.type, options) ? customChecker(document, pointer) : null
  }
  switch (document.type) {
    case 'plan':
      return planChecker(document.id, pointer)
    case 'files_exist':
      return filesExistChecker(document, pointer)
    case 'tool_succeeded':
      return toolSucceededChecker(document, pointer)
    case 'llm_judge':
      return llmJudgeChecker(document, pointer)
    case 'expression':
      return expressionChecker(document, pointer, options.expressions)
    case 'composite':
      return composite(document, pointer, options)
    default:
      return document satisfies never
  }
}

function composite(
  document: CompositeCheckerDocument,
  pointer: string,
  options: CompileOptions,
): Checker {
  const children = pointerTo(pointer, 'checkers')
  return {
    kind: 'composite',
    id: document.id,
    pointer,
    type: 'composite',
    allMustPass: document.all_must_pass ?? true,
    children: document.checkers.flatMap(
      (child, i) => compileChecker(child, pointerTo(children, i), options) ?? [],
    ),
  }
}
