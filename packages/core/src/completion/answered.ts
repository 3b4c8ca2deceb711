// Checkers whose verdict was given outside core, as recorded in the attempt.
import type { RuleAnswer } from '../fact.ts'
import type { CheckOutcome } from './checker.ts'

type CheckAnswer = Extract<RuleAnswer, { readonly kind: 'check' }>

export function answered(prefix: string, { complete, feedback, by }: CheckAnswer): CheckOutcome {
  return {
    status: complete ? 'passed' : 'incomplete',
    code: complete ? `${prefix}.passed` : `${prefix}.incomplete`,
    params: by === undefined ? {} : { by },
    feedback: feedback ?? null,
    because: [],
  }
}

/** Nobody answered, or the answer made no sense: never complete. */
export function unanswered(prefix: string, feedback: string): CheckOutcome {
  return { status: 'error', code: `${prefix}.not_answered`, params: {}, feedback, because: [] }
}
