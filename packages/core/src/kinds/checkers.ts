// Checker types by name; builds the tree.

import { pointerTo } from '../model/json.ts'
import type { CheckerBase } from '../model/rule.ts'
import type { Checker } from './checkers/checker.ts'
import type { CustomCheckerDocument } from './checkers/custom.ts'
import { customChecker } from './checkers/custom.ts'
import type { ExpressionCheckerDocument } from './checkers/expression.ts'
import type { FilesExistCheckerDocument } from './checkers/files-exist.ts'
import { filesExistChecker } from './checkers/files-exist.ts'
import type { LlmJudgeCheckerDocument } from './checkers/llm-judge.ts'
import { llmJudgeChecker } from './checkers/llm-judge.ts'
import type { PlanCheckerDocument } from './checkers/plan.ts'
import { planChecker } from './checkers/plan.ts'
import type { ToolSucceededCheckerDocument } from './checkers/tool-succeeded.ts'
import { toolSucceededChecker } from './checkers/tool-succeeded.ts'
import { admits, refuse } from './compilation.ts'
import type { Compilation } from './compile-options.ts'

/** Several checks as one; at most 16 deep. */
export interface CompositeCheckerDocument extends CheckerBase {
  readonly type: 'composite'
  readonly checkers: readonly CheckerDocument[]
  /** Absent: true. False: one passing child is enough. */
  readonly all_must_pass?: boolean
}

export type KnownCheckerDocument =
  | PlanCheckerDocument
  | FilesExistCheckerDocument
  | CompositeCheckerDocument
  | ToolSucceededCheckerDocument
  | LlmJudgeCheckerDocument
  | ExpressionCheckerDocument
export type CheckerDocument = KnownCheckerDocument | CustomCheckerDocument

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

export const MAX_CHECKER_DEPTH = 16

interface Place {
  readonly pointer: string
  /** 1 for the root. */
  readonly depth: number
}

/** null: a checker that is left out, because nobody here answers for its type or the document is refused anyway. */
export function compileChecker(
  document: CheckerDocument,
  { pointer, depth }: Place,
  compilation: Compilation,
): Checker | null {
  if (depth > MAX_CHECKER_DEPTH) {
    return refuse(compilation, pointer, { code: 'too_deep' })
  }
  if (!admits(compilation, document, { pointer, known: CHECKER_TYPES })) return null
  if (!isKnownChecker(document)) return customChecker(document, pointer)
  switch (document.type) {
    case 'plan':
      return planChecker(document, pointer)
    case 'files_exist':
      return filesExistChecker(document, pointer)
    case 'tool_succeeded':
      return toolSucceededChecker(document, pointer)
    case 'llm_judge':
      return llmJudgeChecker(document, pointer)
    case 'expression':
      return (
        compilation.options.expressions?.checker(document, pointer, compilation) ??
        refuse(compilation, pointerTo(pointer, 'require'), {
          code: 'expression_engine_missing',
        })
      )
    case 'composite':
      return composite(document, { pointer, depth }, compilation)
    default:
      return document satisfies never
  }
}

function composite(
  document: CompositeCheckerDocument,
  { pointer, depth }: Place,
  compilation: Compilation,
): Checker {
  const below = pointerTo(pointer, 'checkers')
  return {
    kind: 'composite',
    id: document.id,
    pointer,
    type: 'composite',
    allMustPass: document.all_must_pass ?? true,
    children: document.checkers.flatMap((child, i) => {
      const place = { pointer: pointerTo(below, i), depth: depth + 1 }
      return compileChecker(child, place, compilation) ?? []
    }),
  }
}
