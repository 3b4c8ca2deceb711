import { promptState } from '../kinds/feedback/prompt-state.ts'
import type { EventOf, ToolOutcome } from '../model/event.ts'
import { getIn, type PersistentMap, removeIn, setIn } from '../model/persistent-map.ts'
import { createDraft, type SessionState, type StateDraft, type ToolTally } from '../model/state.ts'
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

/** `unknown` neither adds a failure nor resets the count. */
function failuresAfter(
  failures: PersistentMap<number>,
  tool: string,
  outcome: ToolOutcome,
): PersistentMap<number> {
  if (outcome === 'success') return removeIn(failures, tool)
  return outcome === 'unknown' ? failures : setIn(failures, tool, (getIn(failures, tool) ?? 0) + 1)
}

/** `before` is the state before the event. */
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

/** A denied or invalid call did not run, so it does not change the last result. */
export function tally(before: ToolTally | undefined, outcome: ToolOutcome, seq: number): ToolTally {
  const ran = outcome === 'success' || outcome === 'failure' || outcome === 'unknown'
  return {
    calls: (before?.calls ?? 0) + 1,
    succeeded: (before?.succeeded ?? 0) + (outcome === 'success' ? 1 : 0),
    failed: (before?.failed ?? 0) + (outcome === 'failure' || outcome === 'invalid' ? 1 : 0),
    denied: (before?.denied ?? 0) + (outcome === 'denied' ? 1 : 0),
    last: ran ? outcome : (before?.last ?? null),
    lastSeq: ran ? seq : (before?.lastSeq ?? null),
    successSeq: outcome === 'success' ? seq : (before?.successSeq ?? null),
  }
}
