import { newDemoSessionId } from '@signalbox/wire'
import { expect, test } from 'vitest'
import { createGuardrails } from './guardrails.ts'

test('a session takes the id of a demo session, and refuses any other id', async () => {
  const guardrails = createGuardrails({ config: { schema_version: 1, ns: 'demo', key: 'a' } })
  const id = newDemoSessionId({ now: 0, random: new Uint8Array(16) })
  expect(guardrails.openSession({ demo: id }).id).toBe(id)
  expect(() => guardrails.openSession({ demo: 'sess_0' })).toThrow(
    'sess_0 is not the id of a demo session.',
  )
  await guardrails.close()
})
