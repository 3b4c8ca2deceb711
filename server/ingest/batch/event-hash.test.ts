import type { SessionEvent } from '@signalbox/core'
import { canonicalJson, eventHash } from '@signalbox/wire'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hashEvent } from './event-hash.ts'

function createHashEvent(data: object, more: object = {}): SessionEvent {
  const envelope = { session: 'sess_1', seq: 1, at: 1_795_000_000_000, type: 'heartbeat' }
  return { ...envelope, ...more, data } as SessionEvent
}

test('the fast event hash and canonical text equal those of @signalbox/wire for every JSON object', () => {
  const json = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 4 }))
  fc.assert(
    fc.property(json, (value) => {
      const data = JSON.parse(JSON.stringify(value)) as object
      const event = createHashEvent(data)
      expect(hashEvent(event)).toEqual({ hash: eventHash(event), dataText: canonicalJson(data) })
    }),
    { numRuns: 500 },
  )
})

test('the fast event hash covers every optional field of the envelope', () => {
  const config = `sha256:${'a'.repeat(64)}`
  const fields = [{ config }, { prev: 'b'.repeat(64) }, { trace: '00-"é"-01' }]
  for (const more of [...fields, Object.assign({}, ...fields)]) {
    const event = createHashEvent({ a: 1 }, more)
    expect(hashEvent(event).hash).toBe(eventHash(event))
  }
})

test('the fast event hash orders keys by code unit, even where objects enumerate numbers first', () => {
  const event = createHashEvent({ b: 1, 10: 2, 9: 3, '\u{1F600}': 4, '\uFB33': 5, a: -0 })
  expect(hashEvent(event).hash).toBe(eventHash(event))
})

test('the fast event hash escapes what JSON escapes in short and long texts, and orders many names', () => {
  const characters = ['"', '\\', '\u0000', '\u001F', '\u007F', '\u2028', '\uD800', '\uDFFF', 'é']
  const texts = characters.flatMap((one) => [one, `${one}a`, `${'a'.repeat(200)}${one}`])
  const names = Array.from({ length: 40 }, (_, i) => [`n${(i * 7) % 40}`, i])
  const event = createHashEvent({ texts, pair: '\u{1F600}', many: Object.fromEntries(names) })
  expect(hashEvent(event)).toEqual({
    hash: eventHash(event),
    dataText: canonicalJson(event.data),
  })
})
