// Finds the custom providers to ask in the pass after a finished call, so that the shell can ask them.

import type { EventOf } from '../model/event.ts'
import { type AnswerRequest, findAnswer } from '../model/fact.ts'
import type { SessionState } from '../model/state.ts'
import { findConditions } from './collect.ts'
import type { CompiledConfig } from './compile.ts'
import { counted } from './count-call.ts'

/** `state` is the state before the call's end. */
export function listPassQuestions(
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
