import { setTracingDisabled } from '@openai/agents'
import { createGuardrails } from '@signalbox/runtime'
import { expect, test } from 'vitest'
import { RULES } from '../test/documents.ts'
import { pageExample, regionOf } from '../test/spec-example.ts'
import { example } from './test/example.ts'
import { ScriptedAgentModel } from './test/scripted-agent-model.ts'

setTracingDisabled(true)

test('the example of the page is the one that runs here', async () => {
  expect(await pageExample('openai-agents')).toBe(
    await regionOf(`${import.meta.dirname}/test/example.ts`),
  )
  const unread = { file_path: 'package.json', content: '{}' }
  const model = new ScriptedAgentModel([
    { calls: [{ id: '1', tool: 'write_file', input: unread }] },
    { text: 'Published.' },
  ])
  const { finalOutput } = await example(createGuardrails({ config: RULES }), model)
  expect(finalOutput).toBe('Published.')
  expect(model.requests[1]).toContain('package.json')
  expect(model.requests[1]).toContain('read')
})
