import type { SessionEvent } from '@signalbox/core'
import { RULES } from '@signalbox/testkit'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  createGuardrails,
  type Diagnostic,
  type SessionOptions,
  type SessionTelemetry,
  type Telemetry,
  type TelemetryStart,
} from '../index.ts'
import { formatTraceparent, normalTraceparent, parseTraceparent } from './traceparent.ts'

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c'
const GIVEN = `00-${TRACE_ID}-b7ad6b7169203331-01`
const OF_PROCESS = `00-${TRACE_ID}-00f067aa0ba902b7-00`
const OWN = `00-${TRACE_ID}-1111111111111111-01`

beforeEach(() => vi.stubEnv('TRACEPARENT', undefined))
afterEach(() => vi.unstubAllEnvs())

const TEST_CALL = { tool: 'test', args: {}, callId: 'a' }
const DEPLOY = { tool: 'deploy', args: {}, callId: 'b' }

function opened(telemetry?: Telemetry, options: SessionOptions = {}) {
  const events: SessionEvent[] = []
  const diagnostics: Diagnostic[] = []
  const session = createGuardrails({
    config: RULES,
    ...(telemetry === undefined ? {} : { telemetry }),
    onEvent: (line) => void events.push(JSON.parse(line)),
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
  }).openSession(options)
  return { session, events, diagnostics }
}

function lookingOn(session: SessionTelemetry) {
  const starts: TelemetryStart[] = []
  const telemetry: Telemetry = {
    open(start) {
      starts.push(start)
      return session
    },
  }
  return { telemetry, starts }
}

const listTraces = (events: readonly SessionEvent[]) => [
  ...new Set(events.map(({ trace }) => trace)),
]

describe('a traceparent', () => {
  const digits = (length: number) =>
    fc.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`)).filter((text) => !/^0+$/.test(text))

  test('parses to the parts from which it was formatted', () => {
    const parts = fc.record({ traceId: digits(32), spanId: digits(16), flags: fc.nat(255) })
    fc.assert(
      fc.property(parts, (parent) => {
        expect(parseTraceparent(formatTraceparent(parent))).toEqual(parent)
      }),
    )
  })

  test.each([
    ['', 'empty'],
    [GIVEN.toUpperCase(), 'in capitals'],
    [`ff${GIVEN.slice(2)}`, 'of the invalid version ff'],
    [`${GIVEN}-extra`, 'longer than version 00 may be'],
    [`cc${GIVEN.slice(2)}extra`, 'of a later version without a separator'],
    [`00-${'0'.repeat(32)}-b7ad6b7169203331-01`, 'with a trace id of zeros'],
    [`00-${TRACE_ID}-${'0'.repeat(16)}-01`, 'with a span id of zeros'],
    [` ${GIVEN}`, 'with a space before it'],
    [`${GIVEN}\n`, 'with a line end'],
  ])('is invalid: %j, %s', (text) => {
    expect(normalTraceparent(text)).toBeNull()
  })

  test('a traceparent of a later version is parsed by the rules of version 00', () => {
    expect(normalTraceparent(`cc${GIVEN.slice(2, -2)}ff-more-to-come`)).toBe(GIVEN)
  })
})

describe("the trace of a session's events", () => {
  test("the trace of a session's events is the given trace", async () => {
    vi.stubEnv('TRACEPARENT', OF_PROCESS)
    const { session, events } = opened(undefined, { trace: GIVEN })
    await session.beforeToolCall(TEST_CALL)
    await session.end({ reason: 'completed' })
    expect(listTraces(events)).toEqual([GIVEN])
  })

  test.each([[{}], [{ trace: 'not a traceparent' }]])(
    'is that of the process without a valid given trace: %j',
    (options) => {
      vi.stubEnv('TRACEPARENT', OF_PROCESS)
      expect(listTraces(opened(undefined, options).events)).toEqual([OF_PROCESS])
    },
  )

  test("the trace of a session's events is absent without a valid trace of the session or the process", () => {
    vi.stubEnv('TRACEPARENT', 'broken')
    expect(listTraces(opened().events)).toEqual([undefined])
  })

  test("the trace of a session's events is that of the observing span, which receives the given trace", () => {
    vi.stubEnv('TRACEPARENT', OF_PROCESS)
    const { telemetry, starts } = lookingOn({ trace: OWN, onEvent: null })
    expect(listTraces(opened(telemetry, { trace: GIVEN }).events)).toEqual([OWN])
    expect(starts).toMatchObject([
      {
        session: expect.stringMatching(/^sess_/),
        prompt: 'team/bots/writer',
        environment: 'local',
        config: { digest: expect.stringMatching(/^sha256:/), revision: null, version: null },
        trace: GIVEN,
        processTrace: OF_PROCESS,
      },
    ])
  })
})

describe('telemetry', () => {
  test('receives the recorded events, in order', async () => {
    const shown: unknown[] = []
    const { telemetry } = lookingOn({
      trace: null,
      onEvent: (line) => void shown.push(JSON.parse(line)),
    })
    const { session, events } = opened(telemetry)
    await session.beforeToolCall(DEPLOY)
    await session.end({ reason: 'completed' })
    expect(events.length).toBeGreaterThan(5)
    expect(shown).toEqual(events)
  })

  const decisionsWith = async (telemetry?: Telemetry) => {
    const { session, events, diagnostics } = opened(telemetry)
    const verdicts = [await session.beforeToolCall(TEST_CALL)]
    await session.afterToolCall({ ...TEST_CALL, outcome: 'failure' })
    verdicts.push(await session.beforeToolCall(DEPLOY))
    const stop = await session.beforeStop({ via: 'turn_end' })
    await session.end({ reason: 'completed' })
    const recorded = events.map(({ type, seq }) => `${seq} ${type}`)
    return { decisions: { verdicts, stop, recorded }, diagnostics }
  }

  test.each<readonly [string, Telemetry, 'once' | 'at every event']>([
    [
      'throws when it is opened',
      {
        open: () => {
          throw new Error('the collector is gone')
        },
      },
      'once',
    ],
    [
      'throws at every event',
      lookingOn({
        trace: null,
        onEvent: () => {
          throw new Error('the collector is gone')
        },
      }).telemetry,
      'at every event',
    ],
  ])('that %s changes no decision and loses no event', async (_, telemetry, failures) => {
    const without = await decisionsWith()
    const watched = await decisionsWith(telemetry)
    expect(watched.decisions).toEqual(without.decisions)
    const times = failures === 'once' ? 1 : watched.decisions.recorded.length
    const failure = { level: 'warning', code: 'telemetry_failed', message: 'the collector is gone' }
    expect(watched.diagnostics).toEqual(Array.from({ length: times }, () => failure))
  })

  test('telemetry with an invalid span name loses no event', async () => {
    const { telemetry } = lookingOn({ trace: 'x'.repeat(500), onEvent: null })
    const { session, events } = opened(telemetry, { trace: GIVEN })
    expect((await session.beforeToolCall(TEST_CALL)).allowed).toBe(true)
    expect(listTraces(events)).toEqual([GIVEN])
  })
})
