import {
  CUSTOM_TYPES,
  configDocument,
  eventLog,
  extendedConfigDocument,
  recordedLog,
} from '@signalbox/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { celExpressions } from '../expression/index.ts'
import {
  type CompiledConfig,
  type ConfigDocument,
  compileConfig,
  type SessionEvent,
} from '../index.ts'
import {
  restoreVerification,
  snapshotVerification,
  startVerification,
  verifyEvent,
  verifySession,
} from './verify.ts'

const options = { expressions: celExpressions(), customTypes: CUSTOM_TYPES }

function compiled(document: ConfigDocument): CompiledConfig {
  const result = compileConfig(document, options)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.config
}

const RECORDS = [
  ...[
    'tool.decided',
    'approval.requested',
    'content.decided',
    'feedback.delivered',
    'feedback.failed',
    'stop.decided',
  ],
]

function isRecord({ type }: SessionEvent): boolean {
  return RECORDS.includes(type)
}

const ORDER: ConfigDocument = {
  schema_version: 1,
  ns: 'a',
  key: 'b',
  policies: [{ id: 'order', type: 'sequential_dependency', dependencies: { deploy: ['test'] } }],
}

const request: SessionEvent = {
  session: 'sess_1',
  seq: 1,
  at: 1,
  type: 'tool.requested',
  data: { call_id: 'c1', tool: 'deploy', args: {} },
}
const log = recordedLog(compiled(ORDER), [
  request,
  { ...request, type: 'tool.invoked', data: { call_id: 'c1', tool: 'deploy', outcome: 'denied' } },
  { ...request, type: 'session.ended', data: { reason: 'completed' } },
])

function without(seq: number): readonly SessionEvent[] {
  return log.filter((event) => event.seq !== seq)
}

describe('verifySession', () => {
  it("verifies a runtime's record, with every type of rule", () => {
    fc.assert(
      fc.property(extendedConfigDocument, eventLog, (document, events) => {
        const config = compiled(document)
        const recorded = recordedLog(config, events)
        const decisions = recorded.filter(isRecord).length
        expect(verifySession(config, recorded)).toEqual({ status: 'verified', decisions })
      }),
    )
  })

  it('diverges at the event of any changed decision', () => {
    fc.assert(
      fc.property(configDocument, eventLog, fc.nat(), (document, events, pick) => {
        const config = compiled(document)
        const recorded = recordedLog(config, events)
        const decided = recorded.filter(({ type }) => type === 'tool.decided')
        const target = decided[pick % Math.max(1, decided.length)]
        fc.pre(target?.type === 'tool.decided')
        const forged = recorded.map((event) =>
          event === target ? { ...target, data: { ...target.data, reason: 'Forged.' } } : event,
        )
        expect(verifySession(config, forged)).toMatchObject({
          status: 'diverged',
          at: target.seq,
          why: 'other_decision',
          recorded: { reason: 'Forged.' },
        })
      }),
    )
  })

  it.each([
    ['a call that ends before its decision', without(2), 3, 'acted_before_decision'],
    [
      'a session that ends before a decision',
      without(2).filter(({ type }) => type !== 'tool.invoked'),
      4,
      'ended_before_decision',
    ],
    ['a decision without a request', without(1), 2, 'unexpected_decision'],
  ])('diverges at %s', (...[, events, at, why]) => {
    expect(verifySession(compiled(ORDER), events)).toMatchObject({ status: 'diverged', at, why })
  })

  it('verifySession is pending while a running session has not recorded its decision', () => {
    expect(verifySession(compiled(ORDER), log.slice(0, 1))).toEqual({
      status: 'pending',
      decisions: 0,
      waiting: 1,
    })
  })

  it('diverges when more than 1,000 decisions are missing', () => {
    const requests = Array.from({ length: 1_001 }, (_, i) => ({
      ...request,
      seq: i + 1,
      data: { ...request.data, call_id: `c${i}` },
    }))
    const result = verifySession(compiled(ORDER), requests as readonly SessionEvent[])
    expect(result).toMatchObject({ status: 'diverged', at: 1_001, why: 'too_many_open' })
  })
})

it('verification continues from the JSON of any prefix', () => {
  fc.assert(
    fc.property(configDocument, eventLog, fc.nat(60), (document, events, cut) => {
      const config = compiled(document)
      const fold = (from: ReturnType<typeof startVerification>, part: readonly SessionEvent[]) =>
        part.reduce((so, event) => verifyEvent(config, so, event).verification, from)
      const recorded = recordedLog(config, events)
      const head = fold(startVerification(config), recorded.slice(0, cut))
      const json = JSON.parse(JSON.stringify(snapshotVerification(head)))
      const tail = fold(restoreVerification(json), recorded.slice(cut))
      const whole = fold(startVerification(config), recorded)
      expect(snapshotVerification(tail)).toEqual(snapshotVerification(whole))
    }),
  )
})
