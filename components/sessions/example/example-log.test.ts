import { type ConfigDocument, compileConfig } from '@signalbox/core'
import { celExpressions } from '@signalbox/core/expression'
import { prove } from '@signalbox/core/prove'
import { expect, test } from 'vitest'
import { sessionRows } from '../page/rows/session-rows.ts'
import { foldExample } from './example-log.ts'

const DOCUMENT: ConfigDocument = {
  schema_version: 1,
  ns: 'a',
  key: 'b',
  policies: [
    { id: 'order', type: 'sequential_dependency', dependencies: { deploy: ['build'] } },
    { id: 'ask', type: 'approval', tools: ['deploy'], timeout_seconds: 300 },
  ],
}

test('the log of an example has the decisions of the engine, and a state after each event', () => {
  const compiled = compileConfig(DOCUMENT, { expressions: celExpressions() })
  if (!compiled.ok) throw new Error('The config has problems.')
  const answer = prove(compiled.config, { ask: 'run_without', tool: 'deploy', needs: 'test' })
  if (answer.answer !== 'trace') throw new Error(answer.answer)
  const log = foldExample(DOCUMENT, answer.events)
  expect(log?.events.map(({ seq, type }) => [seq, type])).toEqual([
    [1, 'session.started'],
    [2, 'tool.requested'],
    [3, 'tool.decided'],
    [4, 'tool.invoked'],
    [5, 'tool.requested'],
    [6, 'approval.requested'],
    [7, 'approval.decided'],
    [8, 'tool.decided'],
  ])
  expect(log?.moments.map(({ state }) => state.seq)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
  const rows = sessionRows(log?.entries ?? [], true)
  expect(rows.at(-1)).toMatchObject({ verdict: 'allowed', subject: 'deploy' })
})
