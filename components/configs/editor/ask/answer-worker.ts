// Searches in a worker, so that typing goes on meanwhile.
import { type ConfigDocument, compileConfig } from '@signalbox/core'
import { celExpressions } from '@signalbox/core/expression'
import {
  describeAnswer,
  describeTraceEvent,
  findQuestionFault,
  prove,
  type Question,
} from '@signalbox/core/prove'

/** `than`: the config of the question `allows_more`. */
export interface Asked {
  readonly document: ConfigDocument
  readonly question: Exclude<Question, { ask: 'allows_more' }> | { readonly ask: 'allows_more' }
  readonly than: ConfigDocument | null
}

export interface Answered {
  readonly isUnknown: boolean
  /** Markdown code spans mark names. */
  readonly sentence: string
  /** Events of the example. */
  readonly events: readonly string[]
}

const MOST_MS = 5000

const options = { expressions: celExpressions(), customTypes: 'any' } as const

function answer({ document, question, than }: Asked): Answered {
  const config = compileConfig(document, options)
  const other = than === null ? null : compileConfig(than, options)
  if (!config.ok || other?.ok === false) return toFault('The config has errors. Fix them first.')
  const whole = toQuestion(question, other?.config ?? null)
  if (whole === null) return toFault('No version is live to compare with.')
  const fault = findQuestionFault(config.config, whole)
  if (fault !== null) return toFault(fault)
  const end = performance.now() + MOST_MS
  const found = prove(config.config, whole, { isAborted: () => performance.now() > end })
  return {
    isUnknown: found.answer === 'unknown',
    sentence: describeAnswer(whole, found),
    events: found.answer === 'trace' ? found.events.map(describeTraceEvent) : [],
  }
}

function toQuestion(
  question: Asked['question'],
  than: Extract<Question, { ask: 'allows_more' }>['than'] | null,
): Question | null {
  if (question.ask !== 'allows_more') return question
  return than === null ? null : { ask: 'allows_more', than }
}

function toFault(sentence: string): Answered {
  return { isUnknown: false, sentence, events: [] }
}

addEventListener('message', ({ data }: MessageEvent<Asked>) => postMessage(answer(data)))
