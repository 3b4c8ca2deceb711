// Part of a checker type that lint, tighten and the unblock plan use: it works from the document and from an evaluated stop.
import type { CheckResult } from '../../model/effect.ts'
import { type Facts, findAnswer, type RuleAnswer } from '../../model/fact.ts'
import type { Problem } from '../../model/problem.ts'
import type { Placed } from '../base/place.ts'
import type { CheckContext, LeafChecker } from './checker.ts'
import type { UnblockStep } from './unblock-step.ts'

export type KeyedStep = Omit<UnblockStep, 'checkers' | 'prerequisiteOf'> & { readonly key: string }

export type ForegoneAnswer = 'always' | 'never' | 'depends'

export interface CheckerRule<Document> {
  toolsRequired(document: Document, pointer: string): readonly Placed<string>[]
  /** Tools whose success outdates an earlier success of a required tool. */
  toolsWatched(document: Document, pointer: string): readonly Placed<string>[]
  /** Errors of a checker that can be enforced as written but cannot be intended. */
  errors(document: Document, pointer: string): readonly Problem[]
  answer(document: Document, isReachable: (tool: string) => boolean): ForegoneAnswer
  /** Fact that the runtime looks up for it: files, or the answer of a model or of code. null: the session is enough. */
  readonly restsOn: 'files' | 'model' | 'code' | null
  /** True: in one session, every stop that passes `strict` also passes `lax`. False: not proven. */
  implies(strict: Document, lax: Document): boolean
  /** Tool whose last run must have succeeded, and be newer than those of `after`; null: the checker does not depend on a run. */
  run(document: Document): { readonly tool: string; readonly after: readonly string[] } | null
  steps(document: Document, result: CheckResult, context: CheckContext): readonly KeyedStep[]
  /** Step that is needed once a model answers, for a check that passes without a model; null: none. */
  stepWithModel(document: Document, context: CheckContext): KeyedStep | null
  /** Reason code for data that is not recorded before the agent stops; null: all data is recorded. */
  unknownBefore(document: Document, leaf: LeafChecker): string | null
}

export function includesAll(all: readonly string[], some: readonly string[]): boolean {
  return some.every((one) => all.includes(one))
}

export function mendStep(checker: string, { feedback }: CheckResult): KeyedStep {
  return {
    key: `mend ${checker}`,
    code: 'checker.mend',
    text: `Fix the check \`${checker}\``,
    owner: 'operator',
    since: null,
    action: { kind: 'other' },
    obstacle: feedback ?? 'It could not be evaluated.',
  }
}

/** Step for a rule that code outside core answers. A check that was skipped, because another one decided first, can still pass. */
export function answerStep(rule: string, facts: Facts | undefined, text: string): KeyedStep {
  const answer = findAnswer(facts, rule)
  return {
    key: `answer ${rule}`,
    code: 'answer.satisfy',
    text,
    owner: 'agent',
    since: null,
    action: { kind: 'answer', rule },
    obstacle: answer === undefined || answer.kind === 'check' ? null : describeFault(answer),
  }
}

function describeFault(answer: RuleAnswer): string {
  if (answer.kind === 'error') return `It could not be evaluated: ${answer.error}`
  return answer.kind === 'unavailable'
    ? 'No code is registered for it.'
    : 'Its answer was not valid.'
}
