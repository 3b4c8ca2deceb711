import type { ConfigDocument, FileFact, SessionEvent } from '@signalbox/core'
import { compileConfig } from '@signalbox/core'
import { replay } from '@signalbox/core/analysis'
import { celExpressions } from '@signalbox/core/expression'
import { RULES } from '@signalbox/testkit'
import { expect, test } from 'vitest'
import { createGuardrails, type SessionOptions } from '../index.ts'

function opened(config: ConfigDocument, options: SessionOptions = {}) {
  const lines: string[] = []
  const onEvent = (line: string) => void lines.push(line)
  const session = createGuardrails({ config, onEvent, expressions: celExpressions() }).openSession(
    options,
  )
  const events = (): SessionEvent[] => lines.map((line) => JSON.parse(line))
  return { session, events }
}

function replayed(config: ConfigDocument, events: readonly SessionEvent[]) {
  const compiled = compileConfig(config, { expressions: celExpressions() })
  if (!compiled.ok) throw new Error('does not compile')
  return [...replay(compiled.config, events)].map(({ effect }) => effect.data)
}

const listToolDecisions = (events: readonly SessionEvent[]) =>
  events.flatMap(({ type, data }) => (type === 'tool.decided' ? [data] : []))

test('a file fact that changes between two reads is decided as it was recorded', async () => {
  let looks = 0
  const fact: FileFact = {
    get exists() {
      looks += 1
      return looks === 1
    },
    kind: 'file',
  }
  const { session, events } = opened(RULES, { files: { lookUp: async () => fact } })
  const call = { tool: 'write_file', args: { path: 'a' }, callId: 'a' }
  const { allowed } = await session.beforeToolCall(call)
  expect(allowed).toBe(false)
  expect(replayed(RULES, events())).toEqual(listToolDecisions(events()))
})

test('the number -0, which JSON writes as 0, is decided as it was recorded', async () => {
  const config: ConfigDocument = {
    schema_version: 1,
    ns: 'a',
    key: 'b',
    policies: [{ id: 'sign', type: 'expression', deny_when: '1.0 / args.n < 0.0' }],
  }
  const { session, events } = opened(config)
  await session.beforeToolCall({ tool: 'any', args: { n: -0 }, callId: 'a' })
  expect(replayed(config, events())).toEqual(listToolDecisions(events()))
})
