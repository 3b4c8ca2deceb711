import { renderSentence, type Sentences } from '../kinds/base/rule-words.ts'
import { plural } from '../model/count-text.ts'
import type { JsonObject, JsonValue } from '../model/json.ts'
import type { Shortfall } from './enforcement.ts'

type Sentence = (params: JsonObject) => string

function readToolName({ tool }: JsonObject, fallback: string): string {
  return typeof tool === 'string' ? tool : fallback
}

/** Separated by semicolons, because items may contain commas. */
function list(value: JsonValue | undefined): string {
  return Array.isArray(value) ? value.join('; ') : '–'
}

function lapse(what: string): Sentence {
  return ({ tool, detail }) => {
    const subject = typeof tool === 'string' ? ` (${tool})` : ''
    const seen = typeof detail === 'string' ? detail.trim().replace(/\.$/, '') : ''
    return seen === '' ? `${what}${subject}` : `${what}${subject}: ${seen}`
  }
}

const SENTENCES: Sentences = {
  'gap.guard_crash': () => 'A call goes ahead when the guard crashes',
  'gap.guard_timeout': () => 'A call goes ahead when the guard does not answer in time',
  'gap.ungoverned': (p) => `Not covered by the guard: ${list(p['tools'])}`,
  'gap.stops': () => 'Stops cannot be blocked',
  'gap.structured_output': () => 'Structured output is accepted before it can be checked',
  'gap.content': (p) => `Content rules that only warn in this harness: ${list(p['rules'])}`,
  'gap.failures': () => 'The harness does not report whether a tool failed',
  'gap.feedback': () => 'Feedback cannot reach the agent',
  'breach.result_without_request': (p) => `${readToolName(p, 'A tool')} ran without a decision`,
  'breach.ran_despite_denial': (p) => `${readToolName(p, 'A tool')} ran although it was denied`,
  'breach.guard_unreachable': lapse('The guard could not be reached'),
  'breach.guard_timeout': lapse('The guard did not answer in time'),
  'breach.hook_missing': lapse('The hooks of the harness were not live'),
  'breach.unsupported_version': lapse('This version of the harness cannot be relied on'),
  'breach.loosened': lapse('The session moved to a looser version while it ran'),
  'breach.maybe_loosened': lapse(
    'While it ran, the session moved to a version that is not proven to be as strict',
  ),
  'breach.unlisted': ({ count }) =>
    `${plural(Number(count), 'more event')} ${count === 1 ? 'shows' : 'show'} calls without a decision or against one`,
}

/** Without a period. An unknown code, from a newer build, is returned unchanged. */
export function shortfallSentence(shortfall: Pick<Shortfall, 'code' | 'params'>): string {
  return renderSentence(SENTENCES, shortfall)
}
