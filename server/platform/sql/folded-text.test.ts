import { expect, test } from 'vitest'
import { computeFolding, foldText, holdsEvery } from './folded-text.ts'

test.each([
  ['ÄRGER', 'ärger'],
  ['ΣΊΣΥΦΟΣ', 'σίσυφοσ'],
  ['σίσυφος', 'σίσυφοσ'],
  ['Straße', 'straße'],
  ['ДЕПЛОЙ', 'деплой'],
  ['日本', '日本'],
])('the text %s is folded to %s for a search', (text, folded) => {
  expect(foldText(text)).toBe(folded)
})

test('a folded search sends only its own letters to the database', () => {
  expect(computeFolding(['deploy_1'])).toEqual({ from: '', to: '' })
  expect(computeFolding(['Ärger'])).toEqual({ from: 'Ä', to: 'ä' })
  expect(computeFolding(['ς'])).toEqual({ from: 'Σς', to: 'σσ' })
})

test('a folded search treats the special characters of LIKE literally', () => {
  const values: unknown[] = []
  const sql = holdsEvery('t.x', ['50%', 'a_b'], (value) => `$${values.push(value)}`)
  expect(sql).toBe(
    'CASE WHEN lower((t.x) COLLATE "C") LIKE ALL ($1::text[]) THEN true ELSE false END',
  )
  expect(values).toEqual([['%50\\%%', '%a\\_b%']])
})
