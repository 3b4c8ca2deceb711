import type { CompiledConfig } from '../engine/compile.ts'
import { lintConfig } from '../lint/lint-config.ts'
import type { Problem } from '../model/problem.ts'
import { type ProveOptions, prove } from './prove.ts'
import type { Answer } from './question.ts'

/** Faults that a change adds. */
export interface NewFaults {
  /** Problems that the config before does not have. */
  readonly problems: readonly Problem[]
  /** A session after which no stop can pass, which the config before does not have; null: none is known. */
  readonly trap: Extract<Answer, { readonly answer: 'trace' }> | null
}

export function findNewFaults(
  before: CompiledConfig,
  after: CompiledConfig,
  options: ProveOptions = {},
): NewFaults {
  return { problems: listNewProblems(before, after), trap: findNewTrap(before, after, options) }
}

/** One sentence for each. */
export function describeNewFaults({ problems, trap }: NewFaults): readonly string[] {
  const trapped = 'The agent could get into a state from which no stop can pass.'
  return [...problems.map(({ message }) => message), ...(trap === null ? [] : [trapped])]
}

function listNewProblems(before: CompiledConfig, after: CompiledConfig): readonly Problem[] {
  const known = lintConfig(before.document, before.options)
  const isNew = (problem: Problem) =>
    !known.some(({ code, message }) => code === problem.code && message === problem.message)
  return lintConfig(after.document, after.options).filter(isNew)
}

function findNewTrap(
  before: CompiledConfig,
  after: CompiledConfig,
  options: ProveOptions,
): NewFaults['trap'] {
  const trapped = prove(after, { ask: 'trapped' }, options)
  if (trapped.answer !== 'trace') return null
  return prove(before, { ask: 'trapped' }, options).answer === 'trace' ? null : trapped
}
