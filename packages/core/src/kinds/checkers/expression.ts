// expression: a CEL condition on the session. The engine that evaluates it is in expression/.
import type { CheckerBase } from '../../model/rule.ts'

/** A CEL condition on the session that must be true. */
export interface ExpressionCheckerDocument extends CheckerBase {
  readonly type: 'expression'
  readonly require: string
  /** What the agent is told when it is not. Absent: `Tasks are incomplete.` */
  readonly feedback?: string
}
