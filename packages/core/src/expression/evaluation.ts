// What one evaluation has done so far: its work is counted, and stops at the bound whatever the expression makes of the error.
import type { CelValue } from '@bufbuild/cel'
import type { Patterns } from './check-tree.ts'
import { MAX_COST, TEXT_PER_UNIT } from './limits.ts'
import { Values } from './values.ts'

const TOO_MUCH_WORK = `more than ${MAX_COST} steps`

export class Evaluation {
  readonly values = new Values()
  readonly patterns: Patterns
  /** Lists that a loop of this evaluation is filling; nothing else can see them before the loop ends. */
  readonly growing = new WeakMap<object, CelValue[]>()
  private cost = 0

  constructor(patterns: Patterns) {
    this.patterns = patterns
  }

  /** Throws once the work is more than one evaluation may do, and at every charge after that. */
  charge(units: number): void {
    this.cost += units
    if (this.isExhausted()) throw new Error(TOO_MUCH_WORK)
  }

  /** Linear in the text: RE2 tries every alternative at once. The pattern was compiled with the program. */
  matches(text: string, pattern: string): boolean {
    const compiled = this.patterns.get(pattern)
    if (compiled === undefined) throw new Error('the pattern was not compiled')
    const size = compiled.re2().prog.inst.length
    this.charge(Math.ceil((text.length * size) / TEXT_PER_UNIT))
    return compiled.test(text)
  }

  isExhausted(): boolean {
    return this.cost > MAX_COST
  }
}
