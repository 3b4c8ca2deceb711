// @ts-check
// Random cases of the soak: a config, and a log of one or more sessions; in half of the cases, one of the two texts is damaged.
import { compileConfig } from '@signalbox/core'
import { celExpressions } from '@signalbox/core/expression'
import {
  CUSTOM_TYPES,
  configDocument,
  eventLog,
  extendedConfigDocument,
  recordedLog,
} from '@signalbox/testkit'
import fc from 'fast-check'

const NASTY = [
  ...['"', '{', '}', '[', ']', ',', ':', '\\', '\n', '\0', '\ud800', '\u2028', '\ufeff'],
  ...['null', 'true', 'NaN', '1e999', '-0', '0.1', '9007199254740993', '""', '{}', '[]'],
  ...[
    '"__proto__"',
    '"constructor"',
    '"__proto__":{},',
    '"\\u0000"',
    '"\\n\\u001b[2J"',
    '"../../etc"',
    '"\\ud800"',
  ],
  '['.repeat(20_000),
  '['.repeat(5000) + ']'.repeat(5000),
  `"${'x'.repeat(2000)}"`,
]

export const edit = fc.record({
  kind: fc.constantFrom('cut', 'insert', 'value', 'repeat', 'end'),
  /** Position in ten-thousandths of the text. */
  at: fc.nat(9999),
  length: fc.integer({ min: 1, max: 40 }),
  text: fc.constantFrom(...NASTY),
})

/** @typedef {{ kind: string, at: number, length: number, text: string }} Edit */
/**
 * `recorded`: the log contains every decision.
 * @typedef {{ config: string, log: string, harmed: 'config' | 'log' | null, recorded: boolean }} SoakCase
 */

const VALUE = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?|true|false|null/y

/** @param {string} text @param {Edit} edit */
export function edited(text, { kind, at, length, text: nasty }) {
  const start = Math.floor((text.length * at) / 10_000)
  switch (kind) {
    case 'cut':
      return text.slice(0, start) + text.slice(start + length)
    case 'insert':
      return text.slice(0, start) + nasty + text.slice(start)
    case 'repeat':
      return text.slice(0, start) + text.slice(start, start + length) + text.slice(start)
    case 'value':
      return withOtherValue(text, start, nasty)
    default:
      return text.slice(0, start)
  }
}

/**
 * Replaces the first JSON value or name at or after `start`, so that the text often remains JSON.
 * @param {string} text
 * @param {number} start
 * @param {string} nasty
 */
function withOtherValue(text, start, nasty) {
  for (let i = start; i < text.length; i++) {
    VALUE.lastIndex = i
    const found = VALUE.exec(text)
    if (found !== null) return text.slice(0, i) + nasty + text.slice(i + found[0].length)
  }
  return text
}

/** @typedef {import('@signalbox/core').SessionEvent} SessionEvent */
/** @typedef {import('@signalbox/core').ConfigDocument} ConfigDocument */

const compileOptions = { expressions: celExpressions(), customTypes: CUSTOM_TYPES }

/** One session of all logs, or one per log. @param {readonly (readonly SessionEvent[])[]} logs @param {boolean} together */
function splitIntoSessions(logs, together) {
  if (together) return [logs.flat().map((event, i) => ({ ...event, seq: i + 1 }))]
  return logs.map((log, i) => log.map((event) => ({ ...event, session: `sess_${i}` })))
}

/**
 * @param {ConfigDocument} document
 * @param {readonly (readonly SessionEvent[])[]} sessions
 */
function withDecisions(document, sessions) {
  const compiled = compileConfig(document, compileOptions)
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems))
  return sessions.map((events) => recordedLog(compiled.config, events))
}

const harm = fc.record({
  to: fc.constantFrom('config', 'log'),
  edits: fc.array(edit, { minLength: 1, maxLength: 3 }),
})

const soakCase = fc
  .record({
    // Conditions are compiled for each config, which costs more than everything else.
    document: fc.oneof(
      { arbitrary: configDocument, weight: 7 },
      { arbitrary: extendedConfigDocument, weight: 1 },
    ),
    logs: fc.array(eventLog, { minLength: 1, maxLength: 3 }),
    together: fc.boolean(),
    recorded: fc.constantFrom(true, false, false, false),
    harm: fc.option(harm, { freq: 2 }),
  })
  .map(({ document, logs, together, recorded, harm: done }) => {
    const bare = splitIntoSessions(logs, together)
    const sessions = recorded ? withDecisions(document, bare) : bare
    const config = JSON.stringify(document)
    const log = sessions
      .flatMap((events) => events.map((event) => JSON.stringify(event)))
      .join('\n')
    const harmed = done?.to ?? null
    const edits = done?.edits ?? []
    return /** @type {SoakCase} */ ({
      config: harmed === 'config' ? edits.reduce(edited, config) : config,
      log: harmed === 'log' ? edits.reduce(edited, log) : log,
      harmed,
      recorded,
    })
  })

/** The same cases for the same seed, on any machine. @param {number} seed @param {number} count */
export function soakCases(seed, count) {
  return fc.sample(soakCase, { seed, numRuns: count })
}
