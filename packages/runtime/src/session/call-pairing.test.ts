import { RULES } from '@signalbox/testkit'
import { describe, expect, test } from 'vitest'
import { createGuardrails } from '../index.ts'

const opened = () => createGuardrails({ config: RULES }).openSession()
const deploy = { tool: 'deploy', args: {} }

describe('calls without an id', () => {
  test('pair a result with the call that ran, not with a denied one', async () => {
    const session = opened()
    expect((await session.beforeToolCall(deploy)).allowed).toBe(false)
    await session.beforeToolCall({ tool: 'test', args: {} })
    await session.afterToolCall({ tool: 'test', args: {}, outcome: 'success' })
    const second = await session.beforeToolCall(deploy)
    expect(second.allowed).toBe(true)
    await session.afterToolCall({ ...deploy, outcome: 'success' })
    const third = await session.beforeStop({ via: 'turn_end' })
    expect(third.allowed).toBe(true)
    expect(session.state.pending.keys).toEqual([])
  })

  test('accept a result with the id that the verdict returned', async () => {
    const session = opened()
    const first = await session.beforeToolCall({ tool: 'test', args: {} })
    await session.afterToolCall({ tool: 'test', args: {}, outcome: 'failure', ...first })
    const second = await session.beforeToolCall({ tool: 'test', args: {} })
    await session.afterToolCall({ tool: 'test', args: {}, outcome: 'success' })
    expect(session.state.pending.keys).toEqual([])
    expect(second.callId).not.toBe(first.callId)
    expect((await session.beforeToolCall(deploy)).allowed).toBe(true)
  })

  test('get ids that differ from those of harnesses', async () => {
    const session = opened()
    const named = await session.beforeToolCall({ tool: 'test', args: {}, callId: 'call_1' })
    const unnamed = await session.beforeToolCall({ tool: 'test', args: { again: true } })
    expect(unnamed.callId).not.toBe(named.callId)
  })
})
