import {
  type DifferenceRule,
  readResultFields,
  withAnswers,
  withResults,
  withTexts,
} from './difference-rule.ts'
import { PRESCRIBED } from './prescribed.ts'
import type { Answer, ReferenceLine } from './reference-line.ts'

const noBlockerTags: DifferenceRule = {
  name: 'no-blocker-tags',
  sentence: '§6: feedback of a checker is the plain sentence, without `<blocker>` around it.',
  restate: (line) =>
    withTexts(line, (text) => text.replaceAll(/<blocker>\n([\s\S]*?)\n<\/blocker>/g, '$1')),
}

const filesText: DifferenceRule = {
  name: 'files-text',
  sentence:
    '§6: all there: `All required files exist.`; missing or unknown: `Missing required files:` and their names.',
  restate: (line) =>
    withResults(line, (answer, step) => {
      const { feedback, complete } = readResultFields(answer)
      if (step.op !== 'checker' || typeof feedback !== 'string') return answer
      const names = step.checker.type === 'file_output' ? step.checker.files.join(', ') : ''
      const text = feedback
        .replaceAll(/All \d+ required output\(s\) exist\./g, 'All required files exist.')
        .replace('No files required; filesystem not needed.', 'All required files exist.')
        .replace(/No filesystem available to verify .*\./, `Missing required files: ${names}`)
      return { ...answer, result: { complete: complete ?? null, feedback: text } }
    }),
}

const SAID_WITHOUT_A_PLAN = [
  'No planning tools available.',
  'No plan has been created.',
  'All 0 task(s) in the plan are complete.',
]

const nothingToCheckIsSilent: DifferenceRule = {
  name: 'nothing-to-check-is-silent',
  sentence: '§6: without a plan, or with an empty one, there is `nothing_to_check`.',
  restate: (line) =>
    withResults(line, (answer) => {
      const { feedback, ...rest } = readResultFields(answer)
      const isSilent = typeof feedback === 'string' && SAID_WITHOUT_A_PLAN.includes(feedback)
      return isSilent ? { ...answer, result: { ...rest, feedback: null } } : answer
    }),
}

type Raised = NonNullable<Answer['raised']>

function withRaised(line: ReferenceLine, restate: (raised: Raised) => Raised): ReferenceLine {
  const { setup_raised: setup } = line.answers
  const restated = withResults(line, (answer) =>
    answer.raised === undefined ? answer : { ...answer, raised: restate(answer.raised) },
  )
  return setup === undefined ? restated : withAnswers(restated, { setup_raised: restate(setup) })
}

const NAMES: ReadonlyMap<string, string> = new Map([
  ['PromptValidationError', 'GuardrailError'],
  ['ValueError', 'GuardrailError'],
  ['InvalidParameterError', 'GuardrailError'],
  ['RuntimeError', 'Error'],
])

const errorNames: DifferenceRule = {
  name: 'error-names',
  sentence: "Python's classes have no meaning here: wrong values are a `GuardrailError`.",
  restate: (line) =>
    withRaised(line, ({ type, message }) => ({ type: NAMES.get(type) ?? type, message })),
}

const errorWords: DifferenceRule = {
  name: 'error-words',
  sentence:
    "Messages for developers are Signalbox's own sentences, except those that the semantics prescribe (§8: `LeaseExtender already attached`).",
  restate: (line) =>
    withRaised(line, ({ type, message }) => ({
      type,
      message: PRESCRIBED.includes(message) ? message : '*',
    })),
}

const countIsOneNumber: DifferenceRule = {
  name: 'count-is-one-number',
  sentence: '§8: a mailbox has `count`, of messages that wait or are leased.',
  restate: (line) =>
    withResults(line, (answer, { op }) =>
      op === 'count' ? { result: readResultFields(answer)['total'] ?? null } : answer,
    ),
}

const batchesAsAsked: DifferenceRule = {
  name: 'batches-as-asked',
  sentence:
    'A batch has the requested size, and 0 is refused; the reference takes 1 to 10 regardless of the request, so these are requested.',
  restate: (line) => ({
    ...line,
    when: line.when.map((step) =>
      step.op === 'receive'
        ? { ...step, max_messages: Math.min(10, Math.max(1, step.max_messages)) }
        : step,
    ),
  }),
}

/** Answers of the reference if it accepted a lease of more than twelve hours and a thirteenth message. */
const noUpperLimits: DifferenceRule = {
  name: 'no-upper-limits',
  sentence:
    '§8: nothing is dropped: a lease may be as long as requested, and a mailbox is never full.',
  restate: (line) => {
    let taken = 0
    return withResults(line, (answer, { op }) => {
      if (answer.raised !== undefined && isUpperLimit(answer.raised)) {
        if (op === 'receive') return { result: [{ body: String(taken++), delivery_count: 1 }] }
        return { result: null }
      }
      if (op !== 'receive' || taken === 0 || !Array.isArray(answer.result)) return answer
      const result = answer.result.map(() => ({ body: String(taken++), delivery_count: 1 }))
      return { ...answer, result }
    })
  },
}

function isUpperLimit({ message }: Raised): boolean {
  return /must be at most|at capacity/.test(message)
}

export const DIFFERENCES_OF_VALUES: readonly DifferenceRule[] = [
  noBlockerTags,
  filesText,
  nothingToCheckIsSilent,
  noUpperLimits,
  batchesAsAsked,
  errorNames,
  errorWords,
  countIsOneNumber,
]
