import type { JsonValue } from '@signalbox/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { jsonPieces } from './json-pieces.ts'

const joinPieces = (value: JsonValue): string =>
  jsonPieces(value)
    .map((piece) => (piece.kind === 'text' ? piece.text : '"taken out"'))
    .join('')

describe('pieces of a recorded value', () => {
  test('parse back to the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        // `fc.jsonValue` generates JSON only.
        const json = JSON.parse(JSON.stringify(value)) as JsonValue
        expect(JSON.parse(joinPieces(json))).toEqual(json)
      }),
    )
  })

  test('name the rule of a redaction, and show text that looks like a mark as text', () => {
    const mark = { $redacted: 'builtin.secrets' }
    expect(jsonPieces({ token: mark, note: '{"$redacted":"x"}' })).toEqual([
      { kind: 'text', text: '{\n  "token": ' },
      { kind: 'omission', words: 'redacted by builtin.secrets', pointer: '/token' },
      { kind: 'text', text: ',\n  "note": "{\\"$redacted\\":\\"x\\"}"\n}' },
    ])
  })

  test.each([
    [{ bytes: 34_000, sha256: 'abcdef0123456789' }, 'left out, 34 kB, sha256 abcdef01…'],
    [{ entries: 2_345 }, 'truncated from 2345 entries'],
    [{ depth: 40 }, 'left out, 40 levels down'],
  ])('state how much was truncated: %o', ($truncated, words) => {
    expect(jsonPieces([{ $truncated }])).toContainEqual({ kind: 'omission', words, pointer: '/0' })
  })

  test('show an unknown mark as recorded', () => {
    expect(joinPieces({ $truncated: 'later' })).toBe('{\n  "$truncated": "later"\n}')
  })

  test('escape invisible characters that would reorder the text', () => {
    expect(joinPieces({ file: 'a\u202Etxt.exe\u200B' })).toBe(
      '{\n  "file": "a\\u202etxt.exe\\u200b"\n}',
    )
  })
})
