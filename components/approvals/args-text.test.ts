import type { JsonValue } from '@signalbox/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { argsPieces } from './args-text.ts'

const textOf = (value: JsonValue): string =>
  argsPieces(value)
    .map((piece) => (piece.kind === 'text' ? piece.text : '"hidden"'))
    .join('')

describe('the arguments of a call', () => {
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
    expect(argsPieces({ token: mark, note: '{"$redacted":"x"}' })).toEqual([
      { kind: 'text', text: '{\n  "token": ' },
      { kind: 'hidden', rule: 'builtin.secrets', pointer: '/token' },
      { kind: 'text', text: ',\n  "note": "{\\"$redacted\\":\\"x\\"}"\n}' },
    ])
  })

  test('show characters that would turn the text around', () => {
    expect(textOf({ file: 'a\u202Etxt.exe\u200B' })).toBe(
      '{\n  "file": "a\\u202etxt.exe\\u200b"\n}',
    )
  })
})
