// Counting a finished call for its prompt, and what providers watch for: failures in a row.

import { promptState } from '../kinds/feedback/prompt-state.ts'
import type { EventOf, ToolOutcome } from '../model/event.ts'
import { getIn, type PersistentMap, removeIn, setIn } from '../model/persistent-map.ts'
import { createDraft, type SessionState, type StateDraft } from '../model/state.ts'
import type { CompiledConfig } from './compile.ts'

export function countCall(
  config: CompiledConfig,
  draft: StateDraft,
  { tool, outcome }: { readonly tool: string; readonly outcome: ToolOutcome },
): void {
  const { calls, providers, failures, repetition } = promptState(draft)
  draft.prompts = setIn(draft.prompts, draft.prompt, {
    calls: calls + 1,
    providers,
    failures: config.tracksFailures ? failuresAfter(failures, tool, outcome) : failures,
    repetition,
  })
}

/** `unknown` neither adds a failure nor ends a row of them. */
function failuresAfter(
  failures: PersistentMap<number>,
  tool: string,
  outcome: ToolOutcome,
): PersistentMap<number> {
  if (outcome === 'success') return removeIn(failures, tool)
  return outcome === 'unknown' ? failures : setIn(failures, tool, (getIn(failures, tool) ?? 0) + 1)
}

/** The state in which the providers are judged after `event`, seen from before it. */
export function counted(
  config: CompiledConfig,
  before: SessionState,
  { seq, at, data }: EventOf<'tool.invoked'>,
): SessionState {
  const draft = createDraft(before)
  draft.seq = seq
  draft.at = at
  countCall(config, draft, { tool: config.canonicalTool(data.tool), outcome: data.outcome })
  return draft
}
