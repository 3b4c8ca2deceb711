// Values of conditions, in the order in which a fold asks for them: a browser folds with these instead of an evaluator.
import { celExpressions, expressionRules } from '@signalbox/core/expression'

/** null: the condition could not be evaluated. */
export type ConditionValue = boolean | null

const cel = celExpressions()

/** null: nothing is recorded. Folds do not wait, so that no two overlap. */
let recorded: ConditionValue[] | null = null

/** Rules for `compileConfig`. */
export const expressions = expressionRules({
  checkPattern: cel.checkPattern,
  compile: (source, variables) => {
    const compiled = cel.compile(source, variables)
    if (!compiled.ok) return compiled
    const { program } = compiled
    return {
      ok: true,
      program: {
        evaluate: (input, left) => {
          let value: ConditionValue = null
          try {
            value = program.evaluate(input, left) === true
            return value
          } finally {
            recorded?.push(value)
          }
        },
      },
    }
  },
})

export function recordConditions<Result>(run: () => Result): {
  readonly result: Result
  readonly values: readonly ConditionValue[]
} {
  const values: ConditionValue[] = []
  recorded = values
  try {
    return { result: run(), values }
  } finally {
    recorded = null
  }
}
