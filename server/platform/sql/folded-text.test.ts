import { expect, test } from 'vitest'
import { computeFolding, foldText, holdsEvery } from './folded-text.ts'

test.each([
  ['ÄRGER', 'ärger'],
  ['ΣΊΣΥΦΟΣ', 'σίσυφοσ'],
  ['σίσυφος', 'σίσυφοσ'],
  ['Straße', 'straße'],
  ['ДЕПЛОЙ', 'деплой'],
  ['日本', '日本'],
])('finds the text %s as %s', (text, folded) => {
  expect(foldText(text)).toBe(folded)
})

test('sends only the searched letters to the database', () => {
  expect(computeFolding(['deploy_1'])).toEqual({ from: '', to: '' })
  expect(computeFolding(['Ärger'])).toEqual({ from: 'Ä', to: 'ä' })
  expect(computeFolding(['ς'])).toEqual({ from: 'Σς', to: 'σσ' })
})

test("treats LIKE's special characters literally", () => {
  const values: unknown[] = []
  const sql = holdsEvery('t.x', ['50%', 'a_b'], (value) => `$${values.push(value)}`)
  expect(sql).toBe('lower((t.x) COLLATE "C") LIKE ALL ($1::text[])')
  expect(values).toEqual([['%50\\%%', '%a\\_b%']])
})
