// expression: a CEL condition on the session that must be true before the agent may stop.
import type { ExpressionCheckerDocument } from '../config.ts'
import type { ExpressionEngine, ExpressionProgram } from '../expression-engine.ts'
import { callsValue, sessionValue } from '../expression-input.ts'
import type { JsonObject } from '../json.ts'
import type { CheckContext, CheckOutcome, LeafChecker } from './checker.ts'

export const CHECKER_VARIABLES = ['calls', 'session', 'stop'] as const

export function expressionChecker(
  document: ExpressionCheckerDocument,
  pointer: string,
  engine: ExpressionEngine | undefined,
): LeafChecker {
  const compiled = engine?.compile(document.require, CHECKER_VARIABLES)
  const program = compiled?.ok === true ? compiled.program : null
  return {
    kind: 'leaf',
    id: document.id,
    pointer,
    type: 'expression',
    files: [],
    external: false,
    check: (context) => check(document, program, context),
  }
}

function check(
  { id, require: expression, feedback }: ExpressionCheckerDocument,
  program: ExpressionProgram | null,
  context: CheckContext,
): CheckOutcome {
  const value = program === null ? null : evaluated(program, context)
  const params = { expression }
  if (value === true) {
    return { status: 'passed', code: 'expression.holds', params, feedback: null, because: [] }
  }
  if (value === false) {
    return {
      status: 'incomplete',
      code: 'expression.does_not_hold',
      params,
      feedback: feedback ?? null,
      because: [],
    }
  }
  const code = 'expression.not_evaluated'
  const failure = `Checker '${id}' could not be evaluated.`
  return { status: 'error', code, params, feedback: failure, because: [] }
}

function evaluated(program: ExpressionProgram, { state, stop }: CheckContext): unknown {
  try {
    return program.evaluate({
      calls: callsValue(state),
      session: sessionValue(state),
      stop: stopValue(stop),
    })
  } catch {
    return null
  }
}

function stopValue({ via, output, last_message, stop_reason }: CheckContext['stop']): JsonObject {
  return {
    via,
    ...(output === undefined ? {} : { output }),
    ...(last_message === undefined ? {} : { last_message }),
    ...(stop_reason === undefined ? {} : { stop_reason }),
  }
}
