// CEL conditions of policies and checkers, compiled by the engine that the host brings.
import { type Compilation, refuse } from './compilation.ts'
import type { ExpressionValue } from './expression-engine.ts'

/** The condition's value; null when it cannot be evaluated, for example because a key is missing. */
export type Condition = (input: { readonly [variable: string]: ExpressionValue }) => unknown

const UNKNOWN: Condition = () => null

/** `pointer` is where the source stands. Without an engine, or when it cannot be read, the document is refused. */
export function compileCondition(
  source: string,
  { pointer, variables }: { readonly pointer: string; readonly variables: readonly string[] },
  compilation: Compilation,
): Condition {
  const { expressions } = compilation.options
  if (expressions === undefined) {
    const message =
      'Nothing here can evaluate expressions. Compile with the engine of @signalbox/core/expression.'
    refuse(compilation, pointer, { code: 'expression_engine_missing', message })
    return UNKNOWN
  }
  const result = expressions.compile(source, variables)
  if (!result.ok) {
    refuse(compilation, pointer, { code: 'expression_invalid', message: result.message })
    return UNKNOWN
  }
  const { program } = result
  return (input) => {
    try {
      return program.evaluate(input)
    } catch {
      return null
    }
  }
}
