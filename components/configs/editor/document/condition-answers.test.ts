import { expect, test } from 'vitest'
import { checkConditions } from '@/server/configs/check-conditions.ts'
import { analyze } from './analysis.ts'
import { ConditionAnswers } from './condition-answers.ts'

const PLACE = { ns: 'acme', key: 'agent', customTypes: [] } as const

const TEXT = JSON.stringify({
  schema_version: 1,
  ns: 'acme',
  key: 'agent',
  policies: [
    { id: 'good', type: 'expression', deny_when: 'args.n > 3' },
    { id: 'again', type: 'expression', deny_when: 'args.n > 3' },
    { id: 'bad', type: 'expression', deny_when: 'args.n >' },
    { id: 'ask', type: 'approval', tools: ['deploy'], when: 'arg.n > 3', timeout_seconds: 60 },
  ],
  content: [{ id: 'key', kind: 'pattern', on: 'arguments', matches: '(', action: 'deny' }],
})

const findPointers = (answers: ConditionAnswers) =>
  analyze(TEXT, { ...PLACE, expressions: answers.createRules() })
    .problems.filter(({ code }) => code === 'expression_invalid')
    .map(({ pointer }) => pointer)

test('the editor asks about each condition and pattern once, and shows the problems of the answers', () => {
  const answers = new ConditionAnswers()
  expect(findPointers(answers)).toEqual([])
  const open = answers.takeOpen()
  expect(open.map(({ source }) => source).toSorted()).toEqual([
    '(',
    'arg.n > 3',
    'args.n >',
    'args.n > 3',
  ])
  answers.add(open, checkConditions(open))
  expect(findPointers(answers).toSorted()).toEqual([
    '/content/0/matches',
    '/policies/2/deny_when',
    '/policies/3/when',
  ])
  expect(answers.takeOpen()).toEqual([])
})
