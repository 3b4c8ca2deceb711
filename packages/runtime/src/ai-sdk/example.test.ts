import { createGuardrails } from '@signalbox/runtime'
import { expect, test } from 'vitest'
import { RULES } from '../test/documents.ts'
import { scriptedModel } from '../test/scripted-model.ts'
import { pageExample, regionOf } from '../test/spec-example.ts'
import { example } from './test/example.ts'

test('the example of the page is the one that runs here', async () => {
  expect(await pageExample('ai-sdk')).toBe(await regionOf(`${import.meta.dirname}/test/example.ts`))
  const steps = (status: string) => ({ steps: [{ title: 'Publish', status }] })
  const { model, prompts } = scriptedModel([
    { calls: [{ id: '1', tool: 'update_plan', input: steps('pending') }] },
    { text: 'Finished!' },
    { calls: [{ id: '2', tool: 'update_plan', input: steps('done') }] },
    { text: 'Published.' },
  ])
  const { text } = await example(createGuardrails({ config: RULES }), model, {})
  expect(text).toBe('Published.')
  expect(prompts[2]).toContain('You have 1 incomplete task(s) out of 1.')
})
