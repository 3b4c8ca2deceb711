import { RULES } from '@signalbox/testkit'
import { expect, test, vi } from 'vitest'

vi.mock('@opentelemetry/api', () => {
  throw new Error('not installed')
})

test('the runtime needs no OpenTelemetry package outside its telemetry entry point', async () => {
  const { createGuardrails } = await import('@signalbox/runtime')
  const session = createGuardrails({ config: RULES }).openSession()
  expect((await session.beforeToolCall({ tool: 'test', args: {} })).allowed).toBe(true)
  await expect(import('./index.ts')).rejects.toThrow()
})
