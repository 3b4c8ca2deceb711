// Searches in a worker, so that typing goes on meanwhile.
import { type ConfigDocument, compileConfig, type SessionEvent } from '@signalbox/core'
import { celExpressions } from '@signalbox/core/expression'
import {
  describeAnswer,
  describeQuestion,
  describeTraceEvent,
  findQuestionFault,
  listProvenProblems,
  prove,
  type Question,
} from '@signalbox/core/prove'
import type { Claim } from '@signalbox/wire'
import { isClaimable } from './claimable.ts'

/** `than`: the config of the question `allows_more`. */
export interface Asked {
  readonly document: ConfigDocument
  /** `advice`: every policy, and whether the agent can be trapped. */
  readonly question:
    | Exclude<Question, { ask: 'allows_more' }>
    | { readonly ask: 'allows_more' }
    | { readonly ask: 'advice' }
  readonly than: ConfigDocument | null
}

export interface Answered {
  readonly isUnknown: boolean
  /** The question as a sentence; empty: it was not asked. */
  readonly question: string
  /** Markdown code spans mark names. */
  readonly sentence: string
  /** Events of an example, or warnings. Empty: none. */
  readonly lines: readonly string[]
  /** Names the lines. */
  readonly title: 'Example' | 'Warnings'
  /** Events of the example; empty: there is none. */
  readonly events: readonly SessionEvent[]
  /** Expected answer of a claim about the question; null: it cannot be one. */
  readonly expect: Claim['expect'] | null
}

const MOST_MS = 5000

const options = { expressions: celExpressions(), customTypes: 'any' } as const

function answer({ document, question, than }: Asked): Answered {
  const config = compileConfig(document, options)
  const other = than === null ? null : compileConfig(than, options)
  if (!config.ok || other?.ok === false) return toFault('The config has errors. Fix them first.')
  const end = performance.now() + MOST_MS
  const isAborted = () => performance.now() > end
  if (question.ask === 'advice') {
    const problems = listProvenProblems(config.config, { isAborted })
    const sentence =
      problems.length === 0 ? NOTHING_FOUND : 'These may protect less than they seem to:'
    return {
      isUnknown: isAborted(),
      question: '',
      sentence,
      lines: problems.map(({ pointer, message }) => `${pointer}: ${message}`),
      title: 'Warnings',
      events: [],
      expect: null,
    }
  }
  const whole = toQuestion(question, other?.config ?? null)
  if (whole === null) return toFault('No version is live to compare with.')
  const fault = findQuestionFault(config.config, whole)
  if (fault !== null) return toFault(fault.message)
  const found = prove(config.config, whole, { isAborted })
  const events = found.answer === 'trace' ? found.events : []
  return {
    isUnknown: found.answer === 'unknown',
    question: describeQuestion(whole),
    sentence: describeAnswer(whole, found),
    lines: events.map(describeTraceEvent),
    title: 'Example',
    events,
    expect: isClaimable(question) ? EXPECT[found.answer] : null,
  }
}

const EXPECT = {
  never: 'never',
  trace: 'possible',
  most: null,
  unbounded: null,
  unknown: null,
} as const

const NOTHING_FOUND = 'No policy is known to never decide, and no trap is known.'

function toQuestion(
  question: Exclude<Asked['question'], { ask: 'advice' }>,
  than: Extract<Question, { ask: 'allows_more' }>['than'] | null,
): Question | null {
  if (question.ask !== 'allows_more') return question
  return than === null ? null : { ask: 'allows_more', than }
}

function toFault(sentence: string): Answered {
  return {
    isUnknown: false,
    question: '',
    sentence,
    lines: [],
    title: 'Example',
    events: [],
    expect: null,
  }
}

addEventListener('message', ({ data }: MessageEvent<Asked>) => postMessage(answer(data)))
