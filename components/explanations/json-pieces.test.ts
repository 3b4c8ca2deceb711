import type { JsonValue } from '@signalbox/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { jsonPieces } from './json-pieces.ts'

const textOf = (value: JsonValue): string =>
  jsonPieces(value)
    .map((piece) => (piece.kind === 'text' ? piece.text : '"taken out"'))
    .join('')

describe('a recorded value', () => {
  test('read back as what they are', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        // jsonValue gives JSON.
        const json = JSON.parse(JSON.stringify(value)) as JsonValue
        expect(JSON.parse(textOf(json))).toEqual(json)
      }),
    )
  })

  test('say what a rule hid, and a text that looks like it is only a text', () => {
    const mark = { $redacted: 'builtin.secrets' }
    expect(jsonPieces({ token: mark, note: '{"$redacted":"x"}' })).toEqual([
      { kind: 'text', text: '{\n  "token": ' },
      { kind: 'taken out', words: 'redacted by builtin.secrets', pointer: '/token' },
      { kind: 'text', text: ',\n  "note": "{\\"$redacted\\":\\"x\\"}"\n}' },
    ])
  })

  test.each([
    [{ bytes: 34_000, sha256: 'abcdef0123456789' }, 'left out, 34 kB, sha256 abcdef01…'],
    [{ entries: 2_345 }, 'cut, there were 2345 entries'],
    [{ depth: 40 }, 'left out, 40 levels down'],
  ])('says how much was left out: %o', ($truncated, words) => {
    expect(jsonPieces([{ $truncated }])).toContainEqual({
      ...{ kind: 'taken out', words, pointer: '/0' },
    })
  })

  test('with an unknown mark is shown as it is', () => {
    expect(textOf({ $truncated: 'later' })).toBe('{\n  "$truncated": "later"\n}')
  })

  test('show characters that would turn the text around', () => {
    expect(textOf({ file: 'a\u202Etxt.exe\u200B' })).toBe(
      '{\n  "file": "a\\u202etxt.exe\\u200b"\n}',
    )
  })
})
