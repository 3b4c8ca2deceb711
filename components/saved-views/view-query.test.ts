import { expect, test } from 'vitest'
import { isBare, isChanged, viewPath, viewQuery } from './view-query.ts'

test('a saved view stores the filter and not the position of the reader', () => {
  const address = '?verdict=denied&project=p&row=sess_1&peek=true&range=24h&view=view_1'
  expect(viewQuery(address)).toBe('range=24h&verdict=denied')
})

test.each([
  ['?project=p&env=dev', true],
  ['?view=view_1', true],
  ['?verdict=denied', false],
  ['?q=', false],
])('the address %s is without a filter: %s', (address, bare) => {
  expect(isBare(address)).toBe(bare)
})

test('a saved view links to its list in the current project and environment', () => {
  const view = { list: 'stops', query: 'by=all', id: 'view_1' }
  expect(viewPath(view, { project: 'p', env: 'dev' })).toBe(
    '/stops?by=all&env=dev&project=p&view=view_1',
  )
  expect(viewPath({ ...view, query: 'env=staging' }, { env: 'dev' })).toBe(
    '/stops?env=staging&view=view_1',
  )
})

test('a saved view is changed only by its filter, not by parameter order, row, or an unnamed environment', () => {
  expect(isChanged('?view=v&b=2&a=1&row=x&env=dev', 'a=1&b=2')).toBe(false)
  expect(isChanged('?view=v&a=1', 'a=1&b=2')).toBe(true)
  expect(isChanged('?a=1&env=dev', 'a=1&env=staging')).toBe(true)
})
