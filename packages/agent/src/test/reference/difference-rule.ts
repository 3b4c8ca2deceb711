import type { Answer, Answers, ReferenceLine } from './reference-line.ts'

export interface DifferenceRule {
  readonly name: string
  readonly sentence: string
  restate(line: ReferenceLine): ReferenceLine
}

type Json = Answer['result']

export function withAnswers(line: ReferenceLine, answers: Partial<Answers>): ReferenceLine {
  return { ...line, answers: { ...line.answers, ...answers } }
}

export function withResults(
  line: ReferenceLine,
  restate: (answer: Answer, step: ReferenceLine['when'][number], position: number) => Answer,
): ReferenceLine {
  const { results } = line.answers
  if (results === undefined) return line
  const restated = results.map((answer, i) => {
    const step = line.when[i]
    return step === undefined ? answer : restate(answer, step, i)
  })
  return withAnswers(line, { results: restated })
}

type FinalState = NonNullable<Answers['final_state']>

export function withFinalState(
  line: ReferenceLine,
  restate: (state: FinalState) => Partial<FinalState>,
): ReferenceLine {
  const { final_state: state } = line.answers
  if (state === undefined) return line
  return withAnswers(line, { final_state: { ...state, ...restate(state) } })
}

export function withTexts(line: ReferenceLine, restate: (text: string) => string): ReferenceLine {
  return withResults(line, (answer) => {
    const { result } = answer
    return result === undefined ? answer : { ...answer, result: mapTexts(result, restate) }
  })
}

function mapTexts(value: NonNullable<Json> | null, restate: (text: string) => string): Json {
  if (typeof value === 'string') return restate(value)
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, restate) ?? null)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, mapTexts(item, restate) ?? null]),
  )
}

/** The fields of an answer that is an object; empty for any other. */
export function readResultFields({ result }: Answer): {
  readonly [key: string]: NonNullable<Json> | null
} {
  return typeof result === 'object' && result !== null && !Array.isArray(result) ? result : {}
}
