import { eventLog } from '@signalbox/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { eventHash } from './digest.ts'
import { parseEventLine } from './parse-event.ts'

const line = (fields: object) =>
  JSON.stringify({ session: 'sess_1', seq: 1, at: 1, type: 'note', data: { text: 'x' }, ...fields })

const request = (args: string) =>
  line({ type: 'tool.requested', data: { call_id: 'c', tool: 't', args: 0 } }).replace(
    '"args":0',
    `"args":${args}`,
  )

const started = (fields: object) =>
  line({
    type: 'session.started',
    data: { ns: 'n', key: 'k', environment: 'dev', harness: { name: 'h' }, ...fields },
  })

describe('parseEventLine', () => {
  it('accepts all events that runtimes record', () => {
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

  it('keeps an event of an unknown type', () => {
    const parsed = parseEventLine(line({ type: 'tool.dreamt', data: { of: 'sheep' } }))
    expect(parsed.ok && parsed.known).toBe(false)
    expect(parsed.ok).toBe(true)
  })

  it.each([
    ['text that is not JSON', '{', 'not JSON'],
    ['a value that is not an object', '7', 'An event is an object'],
    ['a bad sequence number', line({ seq: 0 }), 'at least 1'],
    ['an unknown field', line({ color: 'red' }), 'not known'],
    ['a missing field of its type', line({ data: {} }), 'required'],
    ['a bad session id', line({ session: 'me' }), 'sess_'],
    [
      'an empty file name in the facts',
      line({
        type: 'file.observed',
        data: { path: 'a', facts: { files: { '': { exists: true } } } },
      }),
      'This name cannot be used. This text is empty. Fill it in.',
    ],
    [
      'a lapse with an unknown code',
      line({ type: 'enforcement.lapsed', data: { code: 'sunspots', detail: 'x' } }),
      'guard_unreachable',
    ],
    ['incomplete capabilities', started({ capabilities: {} }), 'required'],
    [
      'a session with unknown semantics',
      started({ semantics: 3 }),
      'The session was decided under semantics 3; this version of Signalbox knows 1 to 2. Update Signalbox here.',
    ],
    ['a number too large for a double', request('{"n":[1,-1e999]}'), 'too large to be kept'],
    ['a number of hundreds of digits', request(`{"n":${'9'.repeat(400)}}`), 'too large to be kept'],
    [
      'a number of many digits with an exponent',
      request(`{"n":${'9'.repeat(250)}e60}`),
      'too large to be kept',
    ],
    [
      'arguments nested too deep',
      request(`{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`),
      'deeper',
    ],
    ['a line over the limit', line({ data: { text: 'x'.repeat(300_000) } }), '256 KiB'],
  ])('refuses %s', (_, text, sentence) => {
    const parsed = parseEventLine(text)
    expect(parsed.ok ? '' : parsed.problem.message).toContain(sentence)
  })

  it('points to a number that is too large', () => {
    const parsed = parseEventLine(request('{"n":[1,-1e999]}'))
    expect(parsed.ok ? '' : parsed.problem.pointer).toBe('/data/args/n/1')
  })

  it('accepts the largest numbers, and texts that look like larger ones', () => {
    const parsed = parseEventLine(request('{"n":1e308,"t":"1e999"}'))
    expect(parsed.ok).toBe(true)
  })

  it('refuses exactly the numbers that a double cannot hold, wherever they stand', () => {
    const digits = fc
      .tuple(fc.constantFrom('1', '9', '12'), fc.constantFrom(0, 1, 199, 200, 298, 307, 309, 400))
      .map(([first, zeros]) => first + '0'.repeat(zeros))
    const number = fc
      .tuple(
        fc.constantFrom('', '-'),
        digits,
        fc.constantFrom('', '.5', `.${'0'.repeat(250)}1`),
        fc.constantFrom('', 'e9', 'E+99', 'e109', 'e308', 'e309', 'E+0308', 'e-400', 'e1000'),
      )
      .map((parts) => parts.join(''))
    const place = fc.constantFrom('{"n":#}', '{"n": #}', '{"n":[#]}', '{"n":[1,#]}', '{"n":[1, #]}')
    fc.assert(
      fc.property(number, place, (text, args) => {
        const parsed = parseEventLine(request(args.replace('#', text)))
        expect(parsed.ok).toBe(Number.isFinite(Number(text)))
      }),
      { numRuns: 500 },
    )
  })

  it('accepts only events that can be hashed', () => {
    const inside = fc.constantFrom('', '1', '1e308', '1e309', '-1e999', '"\\ud800"', '{"b":-0}')
    const args = fc
      .tuple(fc.oneof(fc.nat(120), fc.nat(9000)), inside)
      .map(([depth, json]) => `{"a":${'['.repeat(depth)}${json || '[]'}${']'.repeat(depth)}}`)
    fc.assert(
      fc.property(args, (json) => {
        const parsed = parseEventLine(request(json))
        if (parsed.ok) expect(eventHash(parsed.event)).toHaveLength(64)
      }),
    )
  })

  it('parseEventLine never throws for any text', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => void parseEventLine(text)))
  })
})
