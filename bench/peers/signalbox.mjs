import { initialState, step } from '@signalbox/core'
import { buildEvent, compiled, fileFacts } from '../base/rules.mjs'

export function signalbox(document) {
  const config = compiled(document)
  return {
    name: '@signalbox/core',
    prepare({ events }) {
      let state = initialState(config.promptName)
      for (const event of events) state = step(config, state, event).state
      return (call) => ({
        state,
        event: buildEvent(state.seq + 1, 'tool.requested', {
          call_id: 'probe',
          tool: call.tool,
          args: { path: call.path },
          facts: fileFacts(call.path, call.fact),
        }),
      })
    },
    ask({ state, event }) {
      const [effect] = step(config, state, event).effects
      return effect?.kind === 'tool.decided' && effect.data.decision === 'allowed'
    },
  }
}
