// The shell calls it again with the facts that it found until none is missing, because one fact can determine whether another is needed: a
// custom provider's trigger may depend on a file.

import { findConditions } from '../engine/collect.ts'
import type { CompiledConfig } from '../engine/compile.ts'
import { counted } from '../engine/count-call.ts'
import { exhaustion } from '../engine/decide-stop.ts'
import { findHolding } from '../engine/session-control.ts'
import { listLeaves } from '../kinds/checkers/checker.ts'
import { nextQuestion } from '../kinds/checkers/question.ts'
import { toCall } from '../kinds/policies/call.ts'
import {
  foundFor,
  listInspectedPaths,
  type PathArgument,
  pathsFor,
} from '../kinds/policies/path-argument.ts'
import type { EventOf, SessionEvent } from '../model/event.ts'
import { type AnswerRequest, type FactRequest, type Facts, findAnswer } from '../model/fact.ts'
import { getIn } from '../model/persistent-map.ts'
import type { SessionState } from '../model/state.ts'

const NONE: FactRequest = { files: [], links: [], answers: [] }

/** `state` is the state before the event. Facts that the event already has are left out. */
export function factsNeeded(
  config: CompiledConfig,
  state: SessionState,
  event: SessionEvent,
): FactRequest {
  switch (event.type) {
    case 'tool.requested':
      return listRequestFacts(config, state, event)
    case 'tool.invoked':
      return listResultFacts(config, state, event)
    case 'stop.attempted':
      return listStopFacts(config, state, event)
    default:
      return NONE
  }
}

interface Paths {
  readonly files: readonly string[]
  readonly links?: readonly string[]
}

function missing(
  { files, links = [] }: Paths,
  facts: Facts | undefined,
  answers: () => readonly AnswerRequest[],
): FactRequest {
  const open = listUnknownPaths(files, facts?.files)
  const unseen = listUnknownPaths(links, facts?.links)
  if (open.length > 0 || unseen.length > 0) return { files: open, links: unseen, answers: [] }
  const asked = answers()
  return asked.length === 0 ? NONE : { files: [], links: [], answers: asked }
}

function listUnknownPaths(paths: readonly string[], known: object = {}): readonly string[] {
  const open = paths.filter((path) => !Object.hasOwn(known, path))
  return open.length === 0 ? open : [...new Set(open)]
}

function listRequestFacts(
  config: CompiledConfig,
  state: SessionState,
  { data }: EventOf<'tool.requested'>,
): FactRequest {
  if (findHolding(state) !== null) return NONE
  const call = toCall(config, data, state)
  const { policies } = config.rulesFor(call.tool)
  const files = policies.flatMap(({ policy: { reads } }) =>
    reads === null
      ? []
      : listInspectedPaths(foundFor(call.paths, reads.form)).flatMap(({ normal }) => normal ?? []),
  )
  // Tools that only read are included: the target of the path determines which file was read.
  const links = call.paths.flatMap((paths) =>
    listInspectedPaths(paths).flatMap(listArgumentFolders),
  )
  return missing({ files, links }, data.facts, () =>
    policies.flatMap(({ id, type, policy }) =>
      policy.external && findAnswer(data.facts, id) === undefined
        ? [{ rule: id, type, kind: 'policy' as const }]
        : [],
    ),
  )
}

function listArgumentFolders({ left }: PathArgument): readonly string[] {
  return left.flatMap((folder) => folder ?? [])
}

function listResultFacts(
  config: CompiledConfig,
  state: SessionState,
  event: EventOf<'tool.invoked'>,
): FactRequest {
  const { data } = event
  const call = getIn(state.pending, data.call_id)
  const read =
    call === undefined || data.outcome !== 'success'
      ? []
      : config.rulesFor(call.tool).reads.flatMap(({ form }) => pathsFor(call.paths, form))
  const watched = config.providers.flatMap(({ id, file }) =>
    file === null || getIn(state.firedFiles, id) !== undefined ? [] : [file],
  )
  return missing({ files: [...read, ...watched] }, data.facts, () =>
    listPassQuestions(config, state, event),
  )
}

function listStopFacts(
  config: CompiledConfig,
  state: SessionState,
  { at, data }: EventOf<'stop.attempted'>,
): FactRequest {
  const { checker } = config
  if (checker === null || state.control?.action === 'end') return NONE
  const files = listLeaves(checker).flatMap((leaf) => leaf.files)
  return missing({ files }, data.facts, () => {
    if (exhaustion(state, at) !== null) return []
    const question = nextQuestion(checker, { state, stop: data })
    return question === null ? [] : [question]
  })
}

/** `state` is the state before the end of the call. */
function listPassQuestions(
  config: CompiledConfig,
  state: SessionState,
  event: EventOf<'tool.invoked'>,
): readonly AnswerRequest[] {
  if (!config.providers.some(({ provider }) => provider.external)) return []
  const after = counted(config, state, event)
  const { facts } = event.data
  return config.providers.flatMap((compiled) => {
    const { id, type, provider } = compiled
    if (!provider.external || findAnswer(facts, id) !== undefined) return []
    const due = findConditions(compiled, after, { at: event.at, facts }).length > 0
    return due ? [{ rule: id, type, kind: 'feedback' as const }] : []
  })
}
