import type { FeedbackDelivery, RuleResult } from '../../model/effect.ts'
import { isJsonObject } from '../../model/json.ts'
import type { SessionState } from '../../model/state.ts'
import { promptState } from '../feedback/prompt-state.ts'

/** Feedback about content that an agent may see, or that no detector could check. */
export function contentWarning(
  { rule, pointer, mode, code, params }: RuleResult,
  callId: string,
  state: SessionState,
): FeedbackDelivery {
  const { on, kind } = isJsonObject(params) ? params : {}
  const part = on === 'arguments' ? 'arguments' : 'result'
  const summary =
    code === 'content.warned'
      ? `The ${part} of this call: ${String(kind)}. Do not repeat or pass on what was found.`
      : `The ${part} of this call could not be checked for ${String(kind)}.`
  return {
    provider: rule,
    type: 'content',
    name: 'Content',
    pointer,
    mode,
    conditions: [],
    severity: 'warning',
    summary,
    observations: [],
    suggestions: [],
    call_index: promptState(state).calls,
    prompt: state.prompt,
    call_id: callId,
  }
}
