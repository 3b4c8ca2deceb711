import { refuse } from '../kinds/compilation.ts'
import type { Compilation } from '../kinds/compile-options.ts'
import type { ExpressionEngine, ExpressionValue, WorkLeft } from '../model/expression-engine.ts'

/** Returns the condition's value; null: it cannot be evaluated, for example because a key is missing. */
export type Condition = (
  input: { readonly [variable: string]: ExpressionValue },
  left: WorkLeft,
) => unknown

interface Place {
  readonly pointer: string
  readonly variables: readonly string[]
}

/** The returned function refuses the document if the source cannot be parsed. */
export function conditionMaker(engine: ExpressionEngine) {
  return (source: string, { pointer, variables }: Place, compilation: Compilation): Condition => {
    const result = engine.compile(source, variables)
    if (!result.ok) {
      refuse(compilation, pointer, { code: 'expression_invalid', message: result.message })
      return () => null
    }
    const { program } = result
    return (input, left) => {
      try {
        return program.evaluate(input, left)
      } catch {
        return null
      }
    }
  }
}

export type ConditionMaker = ReturnType<typeof conditionMaker>
