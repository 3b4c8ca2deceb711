import { type CelResult, type CelValue, celEnv, isCelError, plan } from '@bufbuild/cel'
import type { ExpressionProgram, WorkLeft } from '../model/expression-engine.ts'
import { Evaluation } from './evaluation.ts'
import { ExpressionError } from './expression-error.ts'
import { celFunctions } from './functions.ts'
import { instrument } from './instrument.ts'
import { placed } from './place.ts'
import type { ReadSource } from './read-source.ts'
import { findOffset } from './syntax-tree.ts'

type Input = Parameters<ExpressionProgram['evaluate']>[0]

interface Program extends ExpressionProgram {
  evaluate(input: Input, left?: WorkLeft): CelValue
}

type Bindings = Record<string, CelValue>

/** Returns a maker of programs that share one set of functions. It consumes its input: the tree becomes the program. */
export function programMaker(): (read: ReadSource) => Program {
  // Evaluations do not overlap, since none of them waits. An evaluation inside another one (by a ValueSource) restores the outer one.
  let running: Evaluation | null = null
  const env = celEnv({
    funcs: celFunctions(() => {
      if (running === null) throw new Error('no evaluation is running')
      return running
    }),
  })
  return (read) => {
    instrument(read.parsed.expr)
    const run: (bindings: Bindings) => CelResult = plan(env, read.parsed.expr)
    const evaluate = (
      input: Input,
      left: WorkLeft = { units: Number.POSITIVE_INFINITY },
    ): CelValue => {
      const outer = running
      const evaluation = new Evaluation(read.patterns, left)
      running = evaluation
      try {
        const result = run(buildBindings(read.variables, input, evaluation))
        if (evaluation.tooMuch !== null) throw new ExpressionError(evaluation.tooMuch)
        if (isCelError(result)) throw new ExpressionError(describeExpressionError(result, read))
        return result
      } finally {
        running = outer
      }
    }
    return { evaluate }
  }
}

/** Without a prototype, so that `constructor` is not a variable. */
function buildBindings(
  variables: readonly string[],
  input: Input,
  { values }: Evaluation,
): Bindings {
  const bindings: Bindings = Object.create(null)
  for (const name of variables) {
    const value = input[name]
    if (value !== undefined) bindings[name] = values.from(value)
  }
  return bindings
}

function describeExpressionError(
  error: { readonly message: string; readonly exprId: bigint | undefined },
  read: ReadSource,
): string {
  return placed(read.source, findOffset(error.exprId, read.parsed.sourceInfo), error.message)
}
