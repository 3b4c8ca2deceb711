import { createGuardrails } from '@signalbox/runtime'
import { expect, test } from 'vitest'
import { RULES } from '../test/documents.ts'
import { pageExample, regionOf } from '../test/spec-example.ts'
import { example } from './test/example.ts'
import { ScriptedChatModel } from './test/scripted-chat-model.ts'

test('the example of the page is the one that runs here', async () => {
  expect(await pageExample('langchain')).toBe(
    await regionOf(`${import.meta.dirname}/test/example.ts`),
  )
  const model = new ScriptedChatModel([{ text: 'Published.' }])
  const { session } = await example(createGuardrails({ config: RULES }), model, [])
  expect(session.session.state.stops.blocks).toBe(0)
  expect(model.requests[0]).toContain('Write the release notes.')
})
