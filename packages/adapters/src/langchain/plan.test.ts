import { expect, test } from 'vitest'
import { LANGCHAIN_PROFILE } from './capabilities.ts'

test('an unreadable step of a LangChain plan is recorded as pending', () => {
  const todos = [{ content: 'One', status: 'completed' }, { content: 2 }, null]
  const plan = LANGCHAIN_PROFILE.tools['write_todos']?.plan
  expect(plan?.({ todos }, { output: undefined, plan: [] })).toEqual([
    { title: 'One', status: 'done' },
    { title: 'A step that could not be read.', status: 'pending' },
    { title: 'A step that could not be read.', status: 'pending' },
  ])
})
