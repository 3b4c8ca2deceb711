import { MCP_PROFILE } from '@signalbox/adapters/mcp'
import { createGuardrails } from '@signalbox/runtime'
import { expect, test } from 'vitest'
import { ownJudge } from './call-judge.ts'
import { RULES } from './test/daemon-rules.ts'

test('a call is refused when its session cannot be opened, and the next call opens the session', async () => {
  const guardrails = createGuardrails({ config: RULES })
  let isReady = false
  const judge = ownJudge(
    {
      ready: async () => {
        if (!isReady) throw new Error('no config yet')
      },
      openSession: (options) => guardrails.openSession(options),
      close: (ms) => guardrails.close(ms),
    },
    { profile: MCP_PROFILE, cwd: '/' },
  )
  const gate = judge.open()
  const call = { tool: 'read_file', input: {}, callId: 'c1' }
  await expect(gate.before(call)).rejects.toThrow('no config yet')
  isReady = true
  expect(await gate.before(call)).toMatchObject({ allowed: true })
  await gate.finish({ ...call, outcome: 'success' })
  await gate.end({ reason: 'completed' })
  await judge.close()
})

test('a client can disconnect when its session was never opened', async () => {
  const guardrails = createGuardrails({ config: RULES })
  const judge = ownJudge(
    {
      ready: () => Promise.reject(new Error('no config yet')),
      openSession: (options) => guardrails.openSession(options),
      close: (ms) => guardrails.close(ms),
    },
    { profile: MCP_PROFILE, cwd: '/' },
  )
  const gate = judge.open()
  const refused = gate.before({ tool: 'read_file', input: {}, callId: 'c1' })
  await Promise.all([expect(refused).rejects.toThrow(), gate.end({ reason: 'completed' })])
})
