import type { FeedbackDelivery, RuleResult } from '../../model/effect.ts'
import type { SessionState } from '../../model/state.ts'
import { promptState } from '../feedback/prompt-state.ts'
import { advice } from '../feedback/provider.ts'

/** Feedback about content that an agent may see, or that no detector could check. */
export function contentWarning(
  { rule, pointer, mode, code, params }: RuleResult,
  callId: string,
  state: SessionState,
): FeedbackDelivery {
  const part = `The ${String(params['on'])} of this call`
  const kind = String(params['kind'])
  const summary =
    code === 'content.warned'
      ? `${part}: ${kind}. Do not repeat or pass on what was found.`
      : `${part} could not be checked for ${kind}.`
  return {
    provider: rule,
    type: 'content',
    name: 'Content',
    pointer,
    mode,
    conditions: [],
    ...advice('warning', summary),
    call_index: promptState(state).calls,
    prompt: state.prompt,
    call_id: callId,
  }
}
