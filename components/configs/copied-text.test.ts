import { expect, test } from 'vitest'
import { renamedText } from './copied-text.ts'

test('a copied config text is renamed and keeps its order and formatting', () => {
  const text = '{\n\t"key":   "old", "limits": {"max_stop_blocks": 3},\n  "ns": "a/b"\n}\n'
  expect(renamedText(text, { ns: 'team/new', key: 'other' })).toBe(
    '{\n\t"key":   "other", "limits": {"max_stop_blocks": 3},\n  "ns": "team/new"\n}\n',
  )
})

test('a copied config text that is not JSON is unchanged', () => {
  expect(renamedText('{ "ns": oops', { ns: 'a', key: 'b' })).toBe('{ "ns": oops')
})
