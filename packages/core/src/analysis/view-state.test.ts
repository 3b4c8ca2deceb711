// The view of a state agrees with the rules' results.
import { CUSTOM_TYPES, configDocument, eventLog } from '@signalbox/testkit'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type ConfigDocument, compileConfig, initialState, step } from '../index.ts'
import { viewState } from './view-state.ts'

function compiled(document: ConfigDocument) {
  const result = compileConfig(document, { customTypes: CUSTOM_TYPES })
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.config
}

it('lists unmet prerequisites in nested sections, too, and only where enforced', () => {
  const config = compiled({
    schema_version: 1,
    ns: 'a',
    key: 'b',
    sections: [
      {
        id: 'outer',
        tools: ['test', 'lint'],
        sections: [
          {
            id: 'inner',
            tools: ['deploy'],
            policies: [
              { id: 'order', type: 'sequential_dependency', dependencies: { deploy: ['test'] } },
            ],
          },
        ],
      },
    ],
    policies: [
      { id: 'off', type: 'sequential_dependency', mode: 'off', dependencies: { test: ['lint'] } },
    ],
  })
  const { stillNeeded } = viewState(config, initialState(config.promptName))
  expect(stillNeeded).toEqual([{ tool: 'deploy', missing: ['test'] }])
})

it('denies every call that it lists as unmet', () => {
  fc.assert(
    fc.property(configDocument, eventLog, (document, events) => {
      const config = compiled(document)
      let state = initialState(config.promptName)
      for (const event of events) state = step(config, state, event).state
      for (const { tool, missing } of viewState(config, state).stillNeeded) {
        const request = { type: 'tool.requested', data: { call_id: 'x', tool, args: {} } } as const
        const { effects } = step(config, state, {
          session: 's',
          seq: 999,
          at: state.at,
          ...request,
        })
        expect(effects[0]).toMatchObject({ kind: 'tool.decided', data: { decision: 'denied' } })
        expect(JSON.stringify(effects[0])).toContain(missing[0])
      }
    }),
  )
})
