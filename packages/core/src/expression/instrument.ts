// After it, `has()` is true for a key whose value is null, and `map` and `filter` take time in proportion to their list.
import {
  type Comprehension,
  countNodes,
  createCall,
  createInt,
  createText,
  type Expr,
  listChildren,
} from './syntax-tree.ts'

/** Names that no source can contain, because the parser rejects `@`. */
export const TICK = '@tick'
export const HAS_KEY = '@has_key'
export const APPEND = '@append'

/** Changes the tree in place; run it once per tree. */
export function instrument(expr: Expr): void {
  const { exprKind } = expr
  if (exprKind.case === 'comprehensionExpr') meter(exprKind.value)
  for (const child of listChildren(expr)) instrument(child)
  if (exprKind.case === 'selectExpr' && exprKind.value.testOnly && exprKind.value.operand) {
    const { operand, field } = exprKind.value
    expr.exprKind = createCall(expr.id, HAS_KEY, [operand, createText(expr.id, field)]).exprKind
  }
}

/** Each round of a loop costs as many units as its body has nodes. */
function meter(loop: Comprehension): void {
  const { loopStep, loopCondition } = loop
  if (loopStep === undefined || loopCondition === undefined) return
  const { id } = loopCondition
  const units = createInt(id, countNodes(loopStep) + countNodes(loopCondition))
  loop.loopCondition = createCall(id, TICK, [units, loopCondition])
  loop.loopStep = appending(loopStep, loop.accuVar)
}

/** Replaces `@result + [value]`, the form of `map` and `filter`, also under the condition of a filter. */
function appending(step: Expr, result: string): Expr {
  if (step.exprKind.case !== 'callExpr') return step
  const { function: name, args } = step.exprKind.value
  const [first, second, third] = args
  if (name === '_?_:_' && first && second && third)
    return createCall(step.id, name, [first, appending(second, result), third])
  if (name !== '_+_' || second?.exprKind.case !== 'listExpr') return step
  if (first?.exprKind.case !== 'identExpr' || first.exprKind.value.name !== result) return step
  return createCall(step.id, APPEND, [first, ...second.exprKind.value.elements])
}
