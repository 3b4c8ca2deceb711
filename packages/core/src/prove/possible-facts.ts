// Facts of an event, in every combination that its rules can tell apart.
import type { CompiledConfig } from '../engine/compile.ts'
import { factsNeeded } from '../host/facts-needed.ts'
import type { EventBody } from '../model/event.ts'
import type { AnswerRequest, FactRequest, Facts, FileFact, RuleAnswer } from '../model/fact.ts'
import { type Moment, toEvent } from './moves.ts'

/** A file that is as it was read, that something changed, and that is absent. */
const BEFORE: readonly FileFact[] = [
  { exists: true, kind: 'file', fingerprint: 'known' },
  { exists: true, kind: 'file', fingerprint: 'changed' },
  { exists: false },
]
/** After a call the agent knows the file. */
const AFTER = BEFORE.slice(0, 1)

/** `[undefined]`: the rules ask for none. */
export function listFacts(
  configs: readonly CompiledConfig[],
  moment: Moment,
  body: EventBody,
): readonly (Facts | undefined)[] {
  const files = body.type === 'tool.invoked' ? AFTER : BEFORE
  let all: readonly Facts[] = [findNothing(configs, body)]
  for (;;) {
    const asked = all.map((facts) => findMissing(configs, moment, withFacts(body, facts)))
    if (asked.every((one) => one === null)) break
    all = all.flatMap((facts, i) => {
      const request = asked[i] ?? null
      return request === null ? [facts] : addFacts(facts, request, files)
    })
  }
  return all.map((facts) => (Object.keys(facts).length === 0 ? undefined : facts))
}

/** Every content rule looked at the value and found nothing. */
function findNothing(configs: readonly CompiledConfig[], { type, data }: EventBody): Facts {
  if (type !== 'tool.requested' && type !== 'tool.invoked') return {}
  const part = type === 'tool.requested' ? 'arguments' : 'result'
  const checked = configs.flatMap(({ rulesFor }) =>
    rulesFor(data.tool).content[part].map(({ document }) => document.id),
  )
  return checked.length === 0 ? {} : { content: { detectors: [], checked, found: [] } }
}

export function withFacts(body: EventBody, facts: Facts | undefined): EventBody {
  if (facts === undefined) return body
  // Only events with facts are asked about.
  return { ...body, data: { ...body.data, facts } } as EventBody
}

function findMissing(
  configs: readonly CompiledConfig[],
  moment: Moment,
  body: EventBody,
): FactRequest | null {
  const event = toEvent({ body, waitMs: 1 }, moment)
  for (const [i, config] of configs.entries()) {
    const state = moment.lanes[i]
    const request = state === undefined ? null : factsNeeded(config, state, event)
    if (request !== null && Object.values(request).some(({ length }) => length > 0)) return request
  }
  return null
}

function addFacts(
  facts: Facts,
  { files, links, answers }: FactRequest,
  kinds: readonly FileFact[],
): readonly Facts[] {
  const [question] = answers
  if (question !== undefined)
    return listAnswers(question).map((answer) => ({
      ...facts,
      answers: { ...facts.answers, [question.rule]: answer },
    }))
  const known = { ...facts.links, ...Object.fromEntries(links.map((link) => [link, false])) }
  const seen = links.length === 0 ? facts : { ...facts, links: known }
  if (files.length === 0) return [seen]
  return kinds.map((kind) => ({
    ...seen,
    files: { ...facts.files, ...Object.fromEntries(files.map((file) => [file, kind])) },
  }))
}

function listAnswers({ kind }: AnswerRequest): readonly RuleAnswer[] {
  switch (kind) {
    case 'policy':
      return [true, false].map((allow) => ({ kind, allow }))
    case 'check':
      return [true, false].map((complete) => ({ kind, complete }))
    case 'feedback':
      return [{ kind, advice: null }]
    default:
      return kind satisfies never
  }
}
