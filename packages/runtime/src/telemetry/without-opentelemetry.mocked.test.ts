import { RULES } from '@signalbox/testkit'
import { expect, test, vi } from 'vitest'

vi.mock('@opentelemetry/api', () => {
  throw new Error('not installed')
})

test('the runtime works without OpenTelemetry packages, which only its telemetry entry point needs', async () => {
  const { createGuardrails } = await import('../index.ts')
  const session = createGuardrails({ config: RULES }).openSession()
  expect((await session.beforeToolCall({ tool: 'test', args: {} })).allowed).toBe(true)
  await expect(import('./index.ts')).rejects.toThrow()
})
