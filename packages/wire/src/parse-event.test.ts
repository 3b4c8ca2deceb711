// Known events are closed, unknown types are kept, broken lines are named, nothing throws.
import { eventLog } from '@signalbox/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseEventLine } from './parse-event.ts'

const line = (fields: object) =>
  JSON.stringify({ session: 'sess_1', seq: 1, at: 1, type: 'note', data: { text: 'x' }, ...fields })

describe('parseEventLine', () => {
  it('accepts what runtimes record', () => {
    fc.assert(
      fc.property(eventLog, (events) => {
        for (const event of events) {
          const session = event.session.replace('_any', '_1')
          const parsed = parseEventLine(JSON.stringify({ ...event, session }))
          expect(parsed).toEqual({ ok: true, known: true, event: { ...event, session } })
        }
      }),
      { numRuns: 30 },
    )
  })

  it('keeps an event of a type that it does not know', () => {
    const parsed = parseEventLine(line({ type: 'tool.dreamt', data: { of: 'sheep' } }))
    expect(parsed.ok && parsed.known).toBe(false)
    expect(parsed.ok).toBe(true)
  })

  it.each([
    ['no JSON', '{', 'not JSON'],
    ['no object', '7', 'An event is an object'],
    ['a bad sequence number', line({ seq: 0 }), 'at least 1'],
    ['an unknown field', line({ colour: 'red' }), 'not known'],
    ['a missing field of its type', line({ data: {} }), 'required'],
    ['a bad session id', line({ session: 'me' }), 'sess_'],
    [
      'an empty file name in the facts',
      line({
        type: 'file.observed',
        data: { path: 'a', facts: { files: { '': { exists: true } } } },
      }),
      'This name cannot be used. Give at least 1 characters.',
    ],
    ['a line over the limit', line({ data: { text: 'x'.repeat(300_000) } }), '256 KiB'],
  ])('refuses %s', (_, text, sentence) => {
    const parsed = parseEventLine(text)
    expect(parsed.ok ? '' : parsed.problem.message).toContain(sentence)
  })

  it('never throws', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => void parseEventLine(text)))
  })
})
