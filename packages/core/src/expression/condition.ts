// A condition must return true or false; a tree that cannot is refused when it is compiled.
import type { Expr } from './syntax-tree.ts'

const NEVER_BOOL = new Set(
  '_+_ _-_ _*_ _/_ _%_ -_ size int uint double string bytes type'.split(' '),
)

/** False only when no evaluation can give a bool: what depends on a value's type is left to the evaluation. */
export function canBeBool({ exprKind }: Expr): boolean {
  switch (exprKind.case) {
    case 'constExpr':
      return exprKind.value.constantKind.case === 'boolValue'
    case 'listExpr':
    case 'structExpr':
      return false
    case 'comprehensionExpr':
      return (
        exprKind.value.accuInit === undefined ||
        exprKind.value.accuInit.exprKind.case === 'constExpr'
      )
    case 'callExpr': {
      const { function: name, args } = exprKind.value
      return name === '_?_:_' ? args.slice(1).some(canBeBool) : !NEVER_BOOL.has(name)
    }
    default:
      return true
  }
}
