import type { Diagnostic } from '@signalbox/runtime/base'
import { fakeClock } from '@signalbox/testkit'
import { expect, test } from 'vitest'
import { Heartbeat } from './heartbeat.ts'

test('a heartbeat records the last beat by its clock, and has none before the first beat', () => {
  const clock = fakeClock(1000)
  const heartbeat = new Heartbeat({ now: clock.now })
  expect(heartbeat.lastBeatAt).toBeNull()
  heartbeat.beat()
  clock.advance(250)
  expect(heartbeat.lastBeatAt).toBe(1000)
  heartbeat.beat()
  expect(heartbeat.lastBeatAt).toBe(1250)
})

test('a heartbeat calls callbacks in order, once per registration, until they are removed', () => {
  const told: string[] = []
  const heartbeat = new Heartbeat()
  const first = () => {
    told.push('a')
  }
  const takeBack = heartbeat.onBeat(first)
  heartbeat.onBeat(() => {
    told.push('b')
  })
  heartbeat.onBeat(first)
  heartbeat.beat()
  takeBack()
  takeBack()
  heartbeat.beat()
  expect(told).toEqual(['a', 'b', 'a', 'b', 'a'])
})

test('a heartbeat reports a callback that throws or rejects, calls the others and does not throw', async () => {
  const reported: Diagnostic[] = []
  const told: string[] = []
  const heartbeat = new Heartbeat({ report: (diagnostic) => reported.push(diagnostic) })
  heartbeat.onBeat(() => {
    throw new Error('thrown')
  })
  heartbeat.onBeat(() => Promise.reject(new Error('rejected')))
  heartbeat.onBeat(() => {
    told.push('last')
  })
  heartbeat.beat()
  await Promise.resolve()
  expect(told).toEqual(['last'])
  expect(reported.map(({ level, message }) => [level, message])).toEqual([
    ['error', 'A callback of the heartbeat failed: thrown'],
    ['error', 'A callback of the heartbeat failed: rejected'],
  ])
})

test('a heartbeat calls a callback that is registered during a beat from the next beat on', () => {
  let called = 0
  const heartbeat = new Heartbeat()
  const takeBack = heartbeat.onBeat(() => {
    takeBack()
    heartbeat.onBeat(() => {
      called += 1
    })
  })
  heartbeat.beat()
  expect(called).toBe(0)
  heartbeat.beat()
  expect(called).toBe(1)
})
