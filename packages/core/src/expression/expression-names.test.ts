import { describe, expect, it } from 'vitest'
import { callsValue, sessionValue } from '../expression-rules/session-input.ts'
import {
  EXPRESSION_FUNCTIONS,
  EXPRESSION_VARIABLES,
  type ExpressionField,
  listVariables,
} from '../kinds/base/expression-names.ts'
import { VARIABLE_NAMES } from '../kinds/base/variable-names.ts'
import { initialState } from '../model/state.ts'
import { celExpressions } from './index.ts'

const engine = celExpressions()
const state = {
  ...initialState('a/b'),
  environment: 'prod',
  deadlineAt: 1000,
}

function findFields(variable: string): readonly ExpressionField[] {
  const found = EXPRESSION_VARIABLES.find(({ name }) => name === variable)
  return found?.fields ?? found?.each ?? []
}

describe('names of conditions', () => {
  it('are the functions that a refused condition lists', () => {
    const refused = engine.compile('unknown()', [])
    const listed = refused.ok ? '' : (/use one of ([\w, ]+)/.exec(refused.message)?.[1] ?? '')
    expect(EXPRESSION_FUNCTIONS.map(({ name }) => name)).toEqual(listed.split(', '))
  })

  it.each(EXPRESSION_FUNCTIONS)('have an example that compiles: $example', ({ example }) => {
    expect(engine.compile(example, ['args'])).toHaveProperty('ok', true)
  })

  it.each(findFields('session'))('can be read from a session: $name', ({ name, fields = [] }) => {
    const value = sessionValue(state).get(name)
    expect(value).toBeDefined()
    if (fields.length > 0) expect(Object.keys(Object(value))).toEqual(fields.map((f) => f.name))
  })

  it.each(['call', 'stop'] as const)('are those that a condition on a %s may use', (place) => {
    expect(listVariables(place).map(({ name }) => name)).toEqual(VARIABLE_NAMES[place])
  })

  it('are the counts of each tool', () => {
    const names = findFields('calls').map(({ name }) => name)
    expect(Object.keys(Object(callsValue(state).get('deploy')))).toEqual(names)
  })
})
