import type { parse } from '@bufbuild/cel'

export type Parsed = ReturnType<typeof parse>
export type Expr = Parsed['expr']
export type SourceInfo = NonNullable<Parsed['sourceInfo']>
type ExprKind = Expr['exprKind']
export type Call = Kind<'callExpr'>
type Kind<Case extends string> = Extract<ExprKind, { case: Case }>['value']

export type Comprehension = Kind<'comprehensionExpr'>

export function createCall(id: bigint, name: string, args: Expr[]): Expr {
  return {
    $typeName: 'cel.expr.Expr',
    id,
    exprKind: {
      case: 'callExpr',
      value: { $typeName: 'cel.expr.Expr.Call', function: name, args },
    },
  }
}

export function createText(id: bigint, value: string): Expr {
  return createConstant(id, { case: 'stringValue', value })
}

export function createInt(id: bigint, value: number): Expr {
  return createConstant(id, { case: 'int64Value', value: BigInt(value) })
}

function createConstant(id: bigint, constantKind: Kind<'constExpr'>['constantKind']): Expr {
  return {
    $typeName: 'cel.expr.Expr',
    id,
    exprKind: { case: 'constExpr', value: { $typeName: 'cel.expr.Constant', constantKind } },
  }
}

/** Value of a string literal; null: the node is not one. */
export function literalText(expr: Expr | undefined): string | null {
  if (expr?.exprKind.case !== 'constExpr') return null
  const { constantKind } = expr.exprKind.value
  return constantKind.case === 'stringValue' ? constantKind.value : null
}

export function listChildren({ exprKind }: Expr): readonly Expr[] {
  switch (exprKind.case) {
    case 'selectExpr':
      return present([exprKind.value.operand])
    case 'callExpr':
      return present([exprKind.value.target, ...exprKind.value.args])
    case 'listExpr':
      return exprKind.value.elements
    case 'structExpr':
      return present(
        exprKind.value.entries.flatMap(({ keyKind, value }) => [
          keyKind.case === 'mapKey' ? keyKind.value : undefined,
          value,
        ]),
      )
    case 'comprehensionExpr': {
      const { iterRange, accuInit, loopCondition, loopStep, result } = exprKind.value
      return present([iterRange, accuInit, loopCondition, loopStep, result])
    }
    default:
      return []
  }
}

export function countNodes(expr: Expr | undefined): number {
  if (expr === undefined) return 0
  return listChildren(expr).reduce((sum, child) => sum + countNodes(child), 1)
}

/** Offset of the start of a node; null: the node has no place in the source. */
export function findOffset(id: bigint | undefined, info: SourceInfo | undefined): number | null {
  return id === undefined ? null : (info?.positions[id.toString()] ?? null)
}

function present(exprs: readonly (Expr | undefined)[]): readonly Expr[] {
  return exprs.filter((expr) => expr !== undefined)
}
