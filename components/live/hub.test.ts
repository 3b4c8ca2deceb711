import { describe, expect, test } from 'vitest'
import { type LockPort, requestLeadership } from './election.ts'
import { createHub, type HubChannel } from './hub.ts'
import {
  computeConnection,
  LOOK_EVERY_MS,
  OFFLINE_AFTER_MS,
  RECONNECTING_AFTER_MS,
  SILENT_AFTER_MS,
} from './line.ts'
import { isAbout, LIVE, type LiveSignal } from './signal.ts'

function air(): () => HubChannel {
  const ends: { readonly owner: object; readonly hear: (event: { data: unknown }) => void }[] = []
  return () => {
    const owner = {}
    return {
      postMessage: (data) => {
        for (const end of ends) if (end.owner !== owner) end.hear({ data: structuredClone(data) })
      },
      addEventListener: (_type, hear) => ends.push({ owner, hear }),
    }
  }
}

const OFFLINE = { state: 'offline', since: 7 } as const

const NOTIFICATION: LiveSignal = {
  kind: 'notification',
  notification: { project: 'p', kind: 'session', id: 'sess_1' },
}

describe('the live hub of a browser', () => {
  test('delivers what the leader receives to every tab once', () => {
    const channel = air()
    const [leader, follower] = [createHub(channel()), createHub(channel())]
    const heard: string[] = []
    leader.listen(({ kind }) => heard.push(`leader ${kind}`))
    follower.listen(({ kind }) => heard.push(`follower ${kind}`))
    leader.lead(() => undefined)
    leader.publish(NOTIFICATION)
    expect(heard.sort()).toEqual(['follower notification', 'leader notification'])
  })

  test('sends the state of the connection to a newly opened tab', () => {
    const channel = air()
    const leader = createHub(channel())
    leader.lead(() => undefined)
    leader.setConnection(OFFLINE)
    expect(createHub(channel()).connection()).toEqual(OFFLINE)
  })

  test('sends changes of the connection, and that events may be missing, to every tab', () => {
    const channel = air()
    const [leader, follower] = [createHub(channel()), createHub(channel())]
    leader.lead(() => undefined)
    const heard: string[] = []
    follower.listen(({ kind }) => heard.push(kind))
    follower.onConnection(() => heard.push(follower.connection().state))
    leader.setConnection({ state: 'reconnecting', since: 7 })
    leader.setConnection({ state: 'reconnecting', since: 7 })
    leader.publish({ kind: 'resync' })
    leader.setConnection(LIVE)
    expect(heard).toEqual(['reconnecting', 'resync', 'live'])
  })

  test('lets the leader reconnect when any tab asks for it', () => {
    const channel = air()
    const [leader, follower] = [createHub(channel()), createHub(channel())]
    createHub(channel())
    let tries = 0
    leader.lead(() => {
      tries += 1
    })
    follower.retry()
    expect(tries).toBe(1)
    leader.retry()
    expect(tries).toBe(2)
  })
})

function locksInMemory(): LockPort {
  let queue: Promise<unknown> = Promise.resolve()
  return {
    request(_name, _options, held) {
      queue = queue.then(held)
      return queue
    },
  }
}

describe('the election of the leading tab', () => {
  test('makes one tab the leader, and the next one when it resigns', async () => {
    const locks = locksInMemory()
    const led: string[] = []
    const resign = requestLeadership(locks, 'live', () => led.push('first'))
    requestLeadership(locks, 'live', () => led.push('second'))
    await new Promise((resolve) => setImmediate(resolve))
    expect(led).toEqual(['first'])
    resign()
    await new Promise((resolve) => setImmediate(resolve))
    expect(led).toEqual(['first', 'second'])
  })

  test('makes every tab its own leader where locks are unavailable', () => {
    let led = false
    requestLeadership(undefined, 'live', () => {
      led = true
    })
    expect(led).toBe(true)
  })
})

const NOW = 60_000
const OPEN = { isOpen: true, offlineSince: null, downSince: null, heardAt: NOW }
const DOWN = { ...OPEN, isOpen: false }

test.each([
  ['open', OPEN, LIVE],
  ['open, without a message for a moment', { ...OPEN, heardAt: NOW - 1_500 }, LIVE],
  [
    'open, and silent',
    { ...OPEN, heardAt: NOW - SILENT_AFTER_MS - 1 },
    { state: 'reconnecting', since: 57_999 },
  ],
  ['lost for a moment', { ...DOWN, downSince: NOW - 100 }, LIVE],
  ['lost', { ...DOWN, downSince: NOW - 1_000 }, { state: 'reconnecting', since: 59_000 }],
  [
    'lost for a long time',
    { ...DOWN, downSince: NOW - OFFLINE_AFTER_MS - 1 },
    { state: 'offline', since: 44_999 },
  ],
  [
    'without a network for a while, but with messages',
    { ...OPEN, offlineSince: NOW - 4_000 },
    { state: 'offline', since: 56_000 },
  ],
] as const)('the state of a live connection is computed: %s', (_name, line, connection) => {
  expect(computeConnection(line, NOW)).toEqual(connection)
})

test('a cut live connection is reported within three seconds', () => {
  expect(SILENT_AFTER_MS + LOOK_EVERY_MS).toBeLessThanOrEqual(3_000)
  expect(RECONNECTING_AFTER_MS + LOOK_EVERY_MS).toBeLessThanOrEqual(3_000)
})

test.each([
  ['the same id', { project: 'p', kind: 'session', id: 'a' }, true],
  ['another id', { project: 'p', kind: 'session', id: 'b' }, false],
  ['any object of the kind', { project: 'p', kind: 'session' }, true],
  ['another kind', { project: 'p', kind: 'config', id: 'a' }, false],
] as const)(
  'a notification about %s matches a filter for one session only where expected',
  (_name, notification, expected) => {
    expect(isAbout(notification, { kind: 'session', id: 'a' })).toBe(expected)
  },
)
