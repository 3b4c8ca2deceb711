import { expect, test } from 'vitest'
import { NO_FILTER } from './session-filter.ts'
import { findView, VIEWS } from './views.ts'

test('every built-in view of sessions is distinguished from the others', () => {
  for (const { name, values } of VIEWS) {
    expect(findView({ ...values, range: '24h' })?.name).toBe(name)
  }
})

test('the sessions list defaults to All, and to no view with a filter', () => {
  expect(findView(NO_FILTER)?.name).toBe('All')
  expect(findView({ ...NO_FILTER, q: 'x' })).toBeNull()
})

test('another order alone keeps the view', () => {
  expect(findView({ ...NO_FILTER, status: 'running', sort: 'denied' })?.name).toBe('Running')
  expect(findView({ ...NO_FILTER, q: 'x', sort: 'denied' })).toBeNull()
})
