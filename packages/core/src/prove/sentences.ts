import { quoted } from '../kinds/base/judgment.ts'
import type { SessionEvent } from '../model/event.ts'
import type { Answer, Question } from './question.ts'
import { OTHER } from './starts.ts'

/** The question as one sentence; Markdown code spans mark names. */
export function describeQuestion(question: Question): string {
  switch (question.ask) {
    case 'run_without':
      return `Can \`${question.tool}\` run without \`${question.needs}\`${describeSince(question.after)}?`
    case 'run_where':
      return `Can \`${question.tool}\` run where \`${question.when}\`?`
    case 'stop_without':
      return `Can a stop pass without \`${question.needs}\`${describeSince(question.after)}?`
    case 'trapped':
      return 'Can the agent get into a state from which no stop can pass?'
    case 'decisive':
      return `Does the rule \`${question.rule}\` ever decide?`
    case 'allows_more':
      return 'Does this config allow a call that the other one refuses?'
    case 'most_calls':
      return `How often can \`${question.tool}\` run in one session?`
    default:
      return question satisfies never
  }
}

function describeSince(after: readonly string[] = []): string {
  return after.length === 0 ? '' : ` since the last success of ${quoted(after)}`
}

/** The answer in one or two sentences, with what it assumes; Markdown code spans mark names. */
export function describeAnswer(question: Question, answer: Answer): string {
  const { underWay, also } = answer.assumed
  const assumed = [
    underWay === 0
      ? 'each call ends before the next begins'
      : `at most ${underWay} ${underWay === 1 ? 'call is' : 'calls are'} under way at a time`,
    ...also,
  ].join(', and ')
  switch (answer.answer) {
    case 'never':
      return `${describeNever(question)}${describeSupport(answer.restsOn)} Assumed: ${assumed}.`
    case 'trace':
      return `Yes. ${describeTrace(question)}`
    case 'most':
      return `At most ${answer.calls} times. Assumed: ${assumed}.`
    case 'unbounded':
      return 'There is no limit: a sequence of calls that contains it can be repeated.'
    case 'unknown':
      return `Not known, because ${answer.because.join('; ')}.`
    default:
      return answer satisfies never
  }
}

function describeNever({ ask }: Question): string {
  switch (ask) {
    case 'run_without':
    case 'run_where':
    case 'most_calls':
      return 'No. No run allows such a call.'
    case 'stop_without':
      return 'No. No run lets such a stop pass its checks.'
    case 'trapped':
      return 'No. From every state some sequence of calls leads to a stop that passes.'
    case 'decisive':
      return 'No. Whatever it refuses or asks about, another rule refuses, too.'
    case 'allows_more':
      return 'No. Whatever the other one refuses, this config refuses, too.'
    default:
      return ask satisfies never
  }
}

function describeSupport(rules: readonly string[] | null): string {
  if (rules === null) return ''
  return rules.length === 0 ? ' No rule is needed for that.' : ` It rests on ${quoted(rules)}.`
}

function describeTrace({ ask }: Question): string {
  switch (ask) {
    case 'trapped':
      return 'After this session no stop can pass its checks.'
    case 'stop_without':
      return 'The last stop of this session passes.'
    case 'decisive':
      return 'It alone refuses the last call of this session, or asks about it.'
    case 'allows_more':
      return 'The last call of this session is allowed here and refused there.'
    case 'run_without':
    case 'run_where':
    case 'most_calls':
      return 'The last call of this session is allowed.'
    default:
      return ask satisfies never
  }
}

/** An event of an example, on one line. */
export function describeTraceEvent(event: SessionEvent): string {
  switch (event.type) {
    case 'session.started':
      return event.data.environment === OTHER
        ? 'session starts (any environment that no rule names)'
        : `session starts in ${event.data.environment}`
    case 'tool.requested':
      return `${event.data.tool} ${JSON.stringify(event.data.args)}`
    case 'tool.invoked':
      return `${event.data.tool}: ${event.data.outcome}`
    case 'approval.decided':
      return 'a reviewer approves'
    case 'heartbeat':
      return 'time passes'
    case 'stop.attempted':
      return 'the agent stops'
    default:
      return event.type
  }
}
