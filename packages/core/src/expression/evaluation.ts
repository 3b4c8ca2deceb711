// Counts the work of one evaluation. At the limit, the evaluation stops even if the expression catches the error.
import type { CelValue } from '@bufbuild/cel'
import type { WorkLeft } from '../model/expression-engine.ts'
import type { Patterns } from './check-tree.ts'
import { MAX_COST, TEXT_PER_UNIT } from './limits.ts'
import { Values } from './values.ts'

const OF_EVALUATION = `The expression needs more than ${MAX_COST} steps on these values.`
const OF_DECISION =
  'The conditions of this decision need more steps together than one decision may take.'

export class Evaluation {
  readonly values = new Values()
  readonly patterns: Patterns
  /** Lists that a loop of this evaluation is filling; no other code can see them before the loop ends. */
  readonly growing = new WeakMap<object, CelValue[]>()
  private readonly left: WorkLeft
  private cost = 0

  constructor(patterns: Patterns, left: WorkLeft) {
    this.patterns = patterns
    this.left = left
  }

  /** Throws when this evaluation or its decision exceeds its limit, and again on every later call. */
  charge(units: number): void {
    this.cost += units
    this.left.units -= units
    if (this.tooMuch !== null) throw new Error(this.tooMuch)
  }

  /** Linear in the length of the text, because RE2 tries all alternatives at once. The pattern was compiled with the program. */
  matches(text: string, pattern: string): boolean {
    const compiled = this.patterns.get(pattern)
    if (compiled === undefined) throw new Error('the pattern was not compiled')
    const size = compiled.re2().prog.inst.length
    this.charge(Math.ceil((text.length * size) / TEXT_PER_UNIT))
    return compiled.test(text)
  }

  /** Error text for an exceeded limit; null: no limit is exceeded. */
  get tooMuch(): string | null {
    if (this.cost > MAX_COST) return OF_EVALUATION
    return this.left.units < 0 ? OF_DECISION : null
  }
}
