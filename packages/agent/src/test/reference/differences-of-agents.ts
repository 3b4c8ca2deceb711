import {
  type DifferenceRule,
  readResultFields,
  withFinalState,
  withResults,
  withTexts,
} from './difference-rule.ts'
import type { Answer, ReferenceLine } from './reference-line.ts'

const formatReferencePrompt = ({ given }: ReferenceLine) => `${given.prompt.ns}:${given.prompt.key}`

const arrowText: DifferenceRule = {
  name: 'arrow-text',
  sentence: '§5: suggestions are rendered as `-> text`.',
  restate: (line) => withTexts(line, (text) => text.replaceAll('→', '->')),
}

const thrownText: DifferenceRule = {
  name: 'thrown-text',
  sentence: '§3: what a handler throws is the result of the call; the text names the tool.',
  restate: (line) =>
    withResults(line, (answer, step) =>
      step.op === 'tool'
        ? withText(answer, (text) => text.replace(/^Error: /, `Tool '${step.name}' failed: `))
        : answer,
    ),
}

const policyErrorText: DifferenceRule = {
  name: 'policy-error-text',
  sentence: '§4: a policy that throws: denied, reason class `could_not_evaluate`.',
  restate: (line) =>
    withResults(line, (answer) => {
      const [rule = ''] = answer.policy_log?.at(-1) ?? []
      const denied = `Rule '${rule}' could not be evaluated.`
      return withText(answer, (text) => text.replace(/^Validation error: .*$/, denied))
    }),
}

const allPoliciesEvaluated: DifferenceRule = {
  name: 'all-policies-evaluated',
  sentence: '§4: all are evaluated and recorded, even after a denial.',
  restate: (line) =>
    withResults(line, (answer, step) => {
      if (step.op !== 'tool' || answer.policy_log === undefined) return answer
      const after = answer.policy_log.filter(([, hook]) => hook !== 'check')
      const checks = line.given.prompt.policies.flatMap((policy) =>
        policy.type === 'custom' ? [[policy.name, 'check', step.name]] : [],
      )
      return { ...answer, policy_log: [...checks, ...after] }
    }),
}

/** Applied after the rules for texts, because the record contains the texts. */
const everyCallCounts: DifferenceRule = {
  name: 'every-call-counts',
  sentence:
    '§3: denied, invalid, failed and thrown calls all count, so each is in the log of calls.',
  restate: (line) =>
    withFinalState(line, ({ tool_invoked }) => {
      const begun = line.when.findLastIndex(({ op }) => op === 'reset') + 1
      const calls = line.when.flatMap((step, i) => {
        const answer = line.answers.results?.[i]
        if (i < begun || step.op !== 'tool' || answer === undefined) return []
        const { text, is_error } = readResultFields(answer)
        const prompt_name = formatReferencePrompt(line)
        return [
          {
            name: step.name,
            prompt_name,
            success: is_error === false,
            rendered_output: String(text),
          },
        ]
      })
      return { tool_invoked: calls.length === 0 ? tool_invoked : calls }
    }),
}

const guardrailsAreNotRestored: DifferenceRule = {
  name: 'guardrails-are-not-restored',
  sentence:
    '§3: policy and feedback history are changed by events only, so they are never rolled back into the past; a reset begins a new log.',
  restate: (line) => {
    const restored = line.when.findIndex(({ op }) => op === 'restore')
    const reset = line.when.findIndex(({ op }) => op === 'reset')
    return withResults(line, (answer, step, i) =>
      restored >= 0 && i > restored && i < reset && step.op === 'tool'
        ? { ...answer, result: { text: 'OK', is_error: false, handler_called: true } }
        : answer,
    )
  },
}

const adapterForm: DifferenceRule = {
  name: 'adapter-form',
  sentence: "§9: the form of a harness's answer belongs to its adapter; the denial is the same.",
  restate: (line) =>
    withResults(line, (answer) => {
      const { response, ...result } = readResultFields(answer)
      return response === undefined ? answer : { ...answer, result }
    }),
}

const periodFromOne: DifferenceRule = {
  name: 'period-from-one',
  sentence:
    '§5: `every_n_calls` ≥ 1. The reference takes 0 for "always", which is after every call.',
  restate: (line) => {
    const { prompt } = line.given
    const feedback_providers = prompt.feedback_providers.map(({ provider, trigger }) => ({
      provider,
      trigger: trigger.every_n_calls === 0 ? { ...trigger, every_n_calls: 1 } : trigger,
    }))
    return { ...line, given: { ...line.given, prompt: { ...prompt, feedback_providers } } }
  },
}

const providerErrorIsContained: DifferenceRule = {
  name: 'provider-error-is-contained',
  sentence: '§5: a provider that throws loses only its own block; the error is an event.',
  restate: (line) =>
    withResults(line, (answer, { op }) =>
      op === 'feedback' && answer.raised !== undefined ? { result: null } : answer,
    ),
}

const feedbackFollowsACall: DifferenceRule = {
  name: 'feedback-follows-a-call',
  sentence:
    '§5: feedback comes after a finished call. A pass that the reference makes without one follows an extra call.',
  restate: (line) => {
    let [calls, made, isFresh] = [0, 0, false]
    const indices: number[] = []
    for (const [i, step] of line.when.entries()) {
      if (step.op === 'tool_invoked') [calls, isFresh] = [calls + step.count, true]
      if (step.op !== 'feedback') continue
      if (!isFresh) [calls, made] = [calls + 1, made + 1]
      isFresh = false
      if (typeof line.answers.results?.[i]?.result === 'string') indices.push(calls)
    }
    if (made === 0) return line
    return withFinalState(line, ({ feedback, tool_invoked }) => ({
      feedback: feedback.map((delivery, i) => ({ ...delivery, call_index: indices[i] ?? null })),
      tool_invoked: [
        ...tool_invoked,
        ...Array.from({ length: made }, () => ({
          name: 'tool',
          prompt_name: formatReferencePrompt(line),
          success: null,
          rendered_output: '',
        })),
      ],
    }))
  },
}

/** Exact for a provider that gives feedback after every call; no line has another one with concurrent calls. */
const passAfterEveryCall: DifferenceRule = {
  name: 'pass-after-every-call',
  sentence:
    '§5: every provider whose trigger fired runs after each finished call, including between the passes that the reference was asked for.',
  restate: (line) => {
    const isEvery = line.given.prompt.feedback_providers.every(
      ({ trigger }) => trigger.every_n_calls === 1,
    )
    if (!isEvery) return line
    return withFinalState(line, ({ feedback }) => {
      let before = 0
      return {
        feedback: feedback.flatMap((delivery) => {
          const index = Number(delivery['call_index'])
          const between = Array.from({ length: index - before }, (_, i) => before + 1 + i)
          before = index
          return between.map((call_index) => ({ ...delivery, call_index }))
        }),
      }
    })
  },
}

const callsAreReal: DifferenceRule = {
  name: 'calls-are-real',
  sentence:
    "The reference puts finished calls into its log by hand; the translator makes them, by the prompt's first tool.",
  restate: (line) =>
    withFinalState(line, ({ tool_invoked }) => ({
      tool_invoked: tool_invoked.map((call) =>
        call.success === null
          ? {
              ...call,
              name: line.given.prompt.tools[0] ?? '',
              success: true,
              rendered_output: 'OK',
            }
          : call,
      ),
    })),
}

function withText(answer: Answer, restate: (text: string) => string): Answer {
  const { text, ...rest } = readResultFields(answer)
  return typeof text === 'string' ? { ...answer, result: { ...rest, text: restate(text) } } : answer
}

export const DIFFERENCES_OF_AGENTS: readonly DifferenceRule[] = [
  arrowText,
  thrownText,
  policyErrorText,
  allPoliciesEvaluated,
  everyCallCounts,
  guardrailsAreNotRestored,
  adapterForm,
  periodFromOne,
  providerErrorIsContained,
  feedbackFollowsACall,
  passAfterEveryCall,
  callsAreReal,
]
