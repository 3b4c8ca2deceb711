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

it('viewState lists unmet prerequisites of nested sections, and none of rules that are off', () => {
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

it('every call that viewState lists as unmet is denied', () => {
  fc.assert(
    fc.property(configDocument, eventLog, (document, events) => {
      const config = compiled(document)
      let state = initialState(config.promptName)
      // A paused session denies before any rule does.
      const uncontrolled = events.filter(({ type }) => type !== 'session.controlled')
      for (const event of uncontrolled) state = step(config, state, event).state
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

it('viewState states for each condition of a trigger when it fires next', () => {
  const feedback = 'Go on.'
  const config = compiled({
    schema_version: 1,
    ns: 'a',
    key: 'b',
    feedback_providers: [
      {
        id: 'all',
        type: 'static',
        feedback,
        trigger: {
          every_n_calls: 3,
          every_n_seconds: 60,
          on_file_created: { filename: 'AGENTS.md' },
        },
      },
      { id: 'calls', type: 'static', feedback, trigger: { every_n_calls: 1 } },
    ],
  })
  let state = initialState(config.promptName)
  const next = () => viewState(config, state).triggers.map((trigger) => trigger.next)
  const untilExists = { text: 'when `AGENTS.md` exists' }
  expect(next()).toEqual([
    [
      { text: 'every 3 calls, next after 3 calls' },
      { text: 'every 60 s, next at the next call' },
      untilExists,
    ],
    [{ text: 'after every call' }],
  ])
  const call = { call_id: 'x', tool: 'read' }
  for (const [index, body] of (
    [
      { type: 'tool.requested', data: { ...call, args: {} } },
      { type: 'tool.invoked', data: { ...call, outcome: 'success' } },
      { type: 'note', data: { text: 'Later.' } },
    ] as const
  ).entries()) {
    state = step(config, state, { session: 's', seq: index + 1, at: index * 1000, ...body }).state
  }
  expect(next()).toEqual([
    [
      { text: 'every 3 calls, next after 3 calls' },
      { text: 'every 60 s, next in', waitMs: 59_000 },
      untilExists,
    ],
    [{ text: 'after every call' }],
  ])
})
