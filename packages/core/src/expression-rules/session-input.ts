// Session variables of CEL conditions, looked up key by key: a list of all tools would cost time in proportion to the session.

import { promptState } from '../kinds/feedback/prompt-state.ts'
import type { ExpressionValue, ValueSource } from '../model/expression-engine.ts'
import { getIn } from '../model/persistent-map.ts'
import type { SessionState } from '../model/state.ts'

/** `calls.deploy.succeeded`: tallies by canonical tool name. A tool that was never called has zeros. */
export function callsValue(state: SessionState): ValueSource {
  return {
    get: (tool) => {
      const tally = getIn(state.tallies, tool)
      if (tally === undefined) {
        return { calls: 0, succeeded: 0, failed: 0, denied: 0, last: null }
      }
      const { calls, succeeded, failed, denied, last } = tally
      return { calls, succeeded, failed, denied, last }
    },
  }
}

/** `remaining_seconds` is absent without a deadline; `environment` is absent if it is unknown. */
export function sessionValue(state: SessionState): ValueSource {
  return { get: (key) => readStateField(state, key) }
}

function readStateField(state: SessionState, key: string): ExpressionValue | undefined {
  switch (key) {
    case 'prompt':
      return state.prompt
    case 'environment':
      return state.environment ?? undefined
    case 'tags':
      return state.tags
    case 'elapsed_seconds':
      return (state.at - (state.startedAt ?? state.at)) / 1000
    case 'remaining_seconds':
      return state.deadlineAt === null ? undefined : (state.deadlineAt - state.at) / 1000
    case 'usage': {
      const { input, output, total } = state.usage
      return { input, output, total }
    }
    case 'plan':
      return { total: state.plan?.steps.length ?? 0, done: state.plan?.done ?? 0 }
    case 'stop_blocks':
      return state.stops.blocks
    case 'calls':
      return promptState(state).calls
    default:
      return undefined
  }
}
