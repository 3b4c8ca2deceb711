// The built-in views.
import { expect, test } from 'vitest'
import { NO_FILTER } from './session-filter.ts'
import { findView, VIEWS } from './views.ts'

test('distinguishes every saved view from the others for every range', () => {
  for (const { name, values } of VIEWS) {
    expect(findView({ ...values, range: '24h' }, false)?.name).toBe(name)
  }
})

test('defaults to Live when a session runs, and to All otherwise', () => {
  expect(findView(NO_FILTER, true)?.name).toBe('Live')
  expect(findView(NO_FILTER, false)?.name).toBe('All')
  expect(findView({ ...NO_FILTER, q: 'x' }, false)).toBeNull()
})
