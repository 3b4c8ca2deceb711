import { expect, test } from 'vitest'
import { NO_FILTER } from './session-filter.ts'
import { findView, VIEWS } from './views.ts'

test('every built-in view of sessions is distinguished from the others', () => {
  for (const { name, values } of VIEWS) {
    expect(findView({ ...values, range: '24h' }, false)?.name).toBe(name)
  }
})

test('the sessions list defaults to Live while a session runs, to All when none runs, and to no view with a filter', () => {
  expect(findView(NO_FILTER, true)?.name).toBe('Running')
  expect(findView(NO_FILTER, false)?.name).toBe('All')
  expect(findView({ ...NO_FILTER, q: 'x' }, false)).toBeNull()
})
