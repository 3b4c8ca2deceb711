// Identical steps have the same key, so that a file for which two checkers wait is needed once.

import type { CompiledConfig } from '../../engine/compile.ts'
import { type CheckContext, isComplete, type LeafChecker } from '../../kinds/checkers/checker.ts'
import { type KeyedStep, mendStep } from '../../kinds/checkers/checker-rule.ts'
import { runChecker } from '../../kinds/checkers/tree.ts'
import { type CheckerDocument, checkerRule, isComposite } from '../../kinds/checkers.ts'

export interface Need {
  readonly checker: string
  readonly steps: readonly KeyedStep[]
  /** Additional step once a model answers, because a judge that passes without a model is then evaluated; null: none. */
  readonly withModel: KeyedStep | null
  /** Tool whose last run must have succeeded after those of `after`; null for other checkers. */
  readonly run: {
    readonly tool: string
    readonly after: readonly string[]
    readonly isMet: boolean
  } | null
}

export type Needs = (leaf: LeafChecker) => Need

export function needsAt(config: CompiledConfig, context: CheckContext): Needs {
  const documents = documentsById(config.document.task_completion_checker)
  const known = new Map<string, Need>()
  const computeNeed = (leaf: LeafChecker): Need => {
    const result = runChecker(leaf, context, 'everything')
    const need: Need = { checker: leaf.id, steps: [], withModel: null, run: null }
    const document = documents.get(leaf.id)
    if (document === undefined) return need
    const rule = checkerRule(document)
    if (rule === null) return need
    const run = rule.run(document)
    if (run !== null) return { ...need, run: { ...run, isMet: isComplete(result) } }
    if (isComplete(result)) return { ...need, withModel: rule.stepWithModel(document, context) }
    const threw = result.code === 'checker.threw'
    const steps = threw ? [mendStep(leaf.id, result)] : rule.steps(document, result, context)
    return { ...need, steps }
  }
  return (leaf) => {
    const need = known.get(leaf.id) ?? computeNeed(leaf)
    known.set(leaf.id, need)
    return need
  }
}

function documentsById(root: CheckerDocument | undefined): ReadonlyMap<string, CheckerDocument> {
  const found = new Map<string, CheckerDocument>()
  const visit = (document: CheckerDocument): void => {
    found.set(document.id, document)
    if (isComposite(document)) document.checkers.forEach(visit)
  }
  if (root !== undefined) visit(root)
  return found
}
