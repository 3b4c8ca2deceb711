import { compileConfig } from '@signalbox/core'
import { eventLog, RULES, recordedLog } from '@signalbox/testkit'
import { eventHash, parseEventLine } from '@signalbox/wire'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readIncoming } from './incoming.ts'

const compiled = compileConfig(RULES)
if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems))
const { config } = compiled

const readLine = (text: string) => readIncoming([{ number: 1, text }])

function readBySchema(text: string): unknown {
  const parsed = parseEventLine(text)
  if (parsed.ok) return parsed.event
  const { pointer, code, message } = parsed.problem
  return { line: 1, code, detail: pointer === '' ? message : `${pointer}: ${message}` }
}

const recordedLine = fc.tuple(eventLog, fc.nat()).map(([events, at]) => {
  const log = recordedLog(config, events)
  return JSON.stringify({ ...log[at % log.length], session: 'sess_1' })
})

const anyValue = fc.oneof(
  fc.json({ maxDepth: 2 }),
  fc.constantFrom('"__proto__"', '{"__proto__":{}}', '1e999', '-0', '""', 'null', '[]', '{}'),
)

/** Added to an object; null: a value is replaced. */
const anyName = fc.constantFrom(null, 'more', '__proto__', '\\u005f_proto__')

const changedLine = fc.tuple(recordedLine, fc.nat(), anyValue, anyName).map((drawn) => {
  const [line, at, value, name] = drawn
  const pattern = name === null ? /:("[^"]*"|-?\d+|true|false|null)/g : /\{(?=")/g
  const places = [...line.matchAll(pattern)]
  const place = places[at % places.length]
  if (place === undefined) return line
  const end = place.index + place[0].length
  return name === null
    ? `${line.slice(0, place.index)}:${value}${line.slice(end)}`
    : `${line.slice(0, end)}"${name}":${value},${line.slice(end)}`
})

test('a batch accepts the same lines as the schema, with the same events and the same problems', () => {
  let accepted = 0
  let refused = 0
  fc.assert(
    fc.property(fc.oneof(recordedLine, changedLine), (text) => {
      const { sessions, problems } = readLine(text)
      const [incoming] = [...sessions.values()].flat()
      expect(incoming?.event ?? problems[0]).toEqual(readBySchema(text))
      if (incoming === undefined) refused += 1
      else accepted += 1
    }),
    { numRuns: 1000 },
  )
  expect(Math.min(accepted, refused)).toBeGreaterThan(100)
})

test('a batch hashes each event as the protocol defines it', () => {
  fc.assert(
    fc.property(recordedLine, (text) => {
      const [incoming] = [...readLine(text).sessions.values()].flat()
      expect(incoming?.hash).toBe(eventHash(JSON.parse(text)))
    }),
  )
})
