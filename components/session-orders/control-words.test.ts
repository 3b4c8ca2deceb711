import { expect, test } from 'vitest'
import type { SessionControl } from '@/server/session-orders/session-orders.ts'
import { describeControl, listActions } from './control-words.ts'

const PAUSE = {
  counter: 1,
  action: 'pause',
  by: 'Mira',
  reason: 'It loops.',
  at: 1_000,
  expiresAt: 2_000,
  recordedAt: null,
} as const
const RUNNING: SessionControl = {
  state: 'running',
  recorded: null,
  pending: null,
  isReachable: true,
  obstacle: null,
  refusal: null,
}

const words = (control: Partial<SessionControl>) =>
  describeControl({ ...RUNNING, ...control }).badges.map(({ word }) => word)
const actions = (control: Partial<SessionControl>) =>
  listActions({ ...RUNNING, ...control }).map(({ action }) => action)

test('an order is pending until its event arrived, and not reachable while the runtime does not report', () => {
  expect(words({})).toEqual([])
  expect(words({ pending: PAUSE })).toEqual(['Pause pending'])
  expect(words({ pending: PAUSE, isReachable: false })).toEqual(['Pause pending', 'Not reachable'])
  expect(words({ state: 'paused', recorded: PAUSE })).toEqual(['Paused'])
  expect(describeControl({ ...RUNNING, state: 'paused', recorded: PAUSE }).text).toBe(
    'Mira: It loops.',
  )
})

test('the buttons are those that have an effect, and none for a viewer', () => {
  expect(actions({})).toEqual(['pause', 'end'])
  expect(actions({ pending: PAUSE })).toEqual(['resume', 'end'])
  expect(actions({ pending: { ...PAUSE, action: 'end' } })).toEqual([])
  expect(actions({ refusal: 'You need the publisher role in dev.' })).toEqual([])
  expect(actions({ obstacle: 'The session has ended.' })).toEqual([])
})
