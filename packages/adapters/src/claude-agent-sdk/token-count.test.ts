import { expect, test } from 'vitest'
import { TokenCount } from './token-count.ts'

const said = (id: string, usage: object) => ({ type: 'assistant', message: { id, usage } })
const result = (modelUsage: object) => ({ type: 'result', modelUsage })

test('the token count of the Claude Agent SDK counts a message in several parts once', () => {
  const count = new TokenCount()
  const part = said('msg_1', {
    input_tokens: 10,
    cache_read_input_tokens: 5,
    cache_creation_input_tokens: 2,
    output_tokens: 1,
  })
  expect(count.add(part)).toEqual({ evaluation_id: 'msg_1', input_tokens: 17, output_tokens: 1 })
  expect(count.add(part)).toBeNull()
})

test('the token count of the Claude Agent SDK adds the tokens that only the result reports', () => {
  const count = new TokenCount()
  count.add(said('msg_1', { input_tokens: 10, output_tokens: 1 }))
  count.add(said('msg_2', { input_tokens: 20, output_tokens: 1 }))
  const main = { inputTokens: 20, cacheReadInputTokens: 10, outputTokens: 40 }
  expect(count.add(result({ main, small: { inputTokens: 7, outputTokens: 3 } }))).toEqual({
    evaluation_id: 'not_in_messages',
    input_tokens: 7,
    output_tokens: 41,
  })
})

test('the token count of the Claude Agent SDK counts missing and non-numeric values as zero', () => {
  const count = new TokenCount()
  expect(count.add({ type: 'assistant', message: { id: 'm' } })).toBeNull()
  expect(count.add(said('m', { input_tokens: -1, output_tokens: 'many' }))).toEqual({
    evaluation_id: 'm',
    input_tokens: 0,
    output_tokens: 0,
  })
  expect(count.add({ type: 'user' })).toBeNull()
  expect(count.add(null)).toBeNull()
})
