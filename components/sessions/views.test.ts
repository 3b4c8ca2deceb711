// The built-in views.
import { expect, test } from 'vitest'
import { NO_FILTER } from './session-filter.ts'
import { VIEWS, viewOf } from './views.ts'

test('every view is told from the others, whatever the range', () => {
  for (const { name, values } of VIEWS) {
    expect(viewOf({ ...values, range: '24h' }, false)?.name).toBe(name)
  }
})

test('without a choice the view is Live when something runs, and All otherwise', () => {
  expect(viewOf(NO_FILTER, true)?.name).toBe('Live')
  expect(viewOf(NO_FILTER, false)?.name).toBe('All')
  expect(viewOf({ ...NO_FILTER, q: 'x' }, false)).toBeNull()
})
