import { expect, test } from 'vitest'
import {
  importedSessionId,
  isCountedSession,
  isDemoSession,
  newDemoSessionId,
  newId,
  parseEventId,
  toStopId,
} from './ids.ts'

const SOURCE = { now: 1_795_000_000_000, random: new Uint8Array(16) }

test('a session counts unless it is of the demo or imported', () => {
  const [demo, imported] = [newDemoSessionId(SOURCE), importedSessionId('0'.repeat(64))]
  expect([newId('sess', SOURCE), demo, imported].map(isCountedSession)).toEqual([
    true,
    false,
    false,
  ])
  expect([newId('sess', SOURCE), demo, imported].map(isDemoSession)).toEqual([false, true, false])
})

test('the id of a stop of the demo names its session', () => {
  const session = newDemoSessionId(SOURCE)
  expect(parseEventId(toStopId(session, 7))).toEqual({ session, seq: 7 })
})
