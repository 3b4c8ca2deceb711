import fs from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, expect, test, vi } from 'vitest'
import { EventSpool } from './event-spool.ts'
import { Forwarder } from './forwarder.ts'
import { hashSecret, KnownKeys } from './known-keys.ts'
import { type Answer, type Asked, KEY, RelayLab } from './test/relay-lab.ts'
import { Upstream } from './upstream.ts'

// Megabytes go through gzip here.
vi.setConfig({ testTimeout: 30_000 })

let lab: RelayLab
const HASH = hashSecret(KEY)

afterEach(async () => {
  vi.useRealTimers()
  await lab.end()
})

interface Place {
  readonly spool: EventSpool
  readonly forwarder: Forwarder
  readonly upstream: Upstream
}

async function waiting(
  batches: readonly string[],
  answer: (asked: Asked) => Answer,
): Promise<Place> {
  lab = new RelayLab((asked) => (asked.route === 'POST events' ? answer(asked) : null))
  await lab.listen()
  const spool = new EventSpool(lab.folder, 1024 * 1024 * 1024)
  for (const batch of batches) await spool.append(HASH, batch)
  const upstream: Upstream = new Upstream(lab.url, () => forwarder.wake())
  const report = (line: string) => lab.lines.push(line)
  const keys = new KnownKeys(lab.folder, report)
  keys.hold(KEY)
  const forwarder = new Forwarder({ spool, keys, upstream, report })
  return { spool, upstream, forwarder }
}

function setAside(): readonly string[] {
  const folder = path.join(lab.folder, 'set-aside', HASH)
  return fs
    .readdirSync(folder)
    .sort()
    .map((name) => gunzipSync(fs.readFileSync(path.join(folder, name))).toString('utf8'))
}

/** Long enough for a machine that is busy with other tests. */
const SOON = { timeout: 20_000 }
const soon = (check: () => void) => vi.waitFor(check, SOON)

const emptied = ({ spool }: Place) => soon(() => expect(spool.isEmpty(HASH)).toBe(true))

test('an accepted batch is forwarded in parts that the control plane accepts, in order', async () => {
  const bodies: string[] = []
  const line = () =>
    `${Buffer.from(crypto.getRandomValues(new Uint8Array(48_000))).toString('base64')}\n`
  const lines = Array.from({ length: 90 }, line).join('')
  const place = await waiting([lines, 'last\n'], ({ body }) => {
    bodies.push(body)
    return null
  })
  place.forwarder.wake()
  await emptied(place)
  expect(bodies.join('')).toBe(`${lines}last\n`)
  expect(Math.max(...bodies.map((body) => body.length))).toBeLessThanOrEqual(4 * 1024 * 1024)
})

test('a batch answered with 413 is sent in halves, and a single line that is too large is set aside', async () => {
  const bodies: string[] = []
  const place = await waiting([`a\n${'b'.repeat(90)}\nc\nd\n`, 'e\n'], ({ body }) => {
    if (body.length > 50) return { status: 413 }
    bodies.push(body)
    return null
  })
  place.forwarder.wake()
  await emptied(place)
  expect(bodies.join('')).toBe('a\nc\nd\ne\n')
  expect(setAside()).toEqual([`${'b'.repeat(90)}\n`])
})

test.each([400, 422])(
  'a batch answered with %i is set aside, counted and reported, and later ones arrive',
  async (status) => {
    const bodies: string[] = []
    const place = await waiting(['bad\n', 'good\n'], ({ body }) => {
      if (body === 'bad\n') return { status }
      bodies.push(body)
      return null
    })
    place.forwarder.wake()
    await emptied(place)
    expect([bodies, setAside(), place.spool.aside]).toEqual([['good\n'], ['bad\n'], 1])
    expect(lab.lines.join()).toContain(
      `set aside, in set-aside/: the control plane answered ${status}`,
    )
    // Includes batches of the next process.
    expect(new EventSpool(lab.folder, 1).aside).toBe(1)
  },
)

test('a batch that a reachable control plane rejects for an hour is set aside', async () => {
  const place = await waiting(['bad\n', 'good\n'], ({ body }) =>
    body === 'bad\n' ? { status: 500 } : null,
  )
  vi.useFakeTimers({ toFake: ['Date'], now: 0 })
  place.forwarder.wake()
  await soon(() => expect(lab.lines.join()).toContain('answered 500'))
  expect([place.upstream.awaySince, place.spool.batches, place.spool.aside]).toEqual([null, 2, 0])
  // The wait above has advanced this clock, too.
  vi.setSystemTime(Date.now() + 60 * 60_000)
  place.forwarder.wake()
  await emptied(place)
  expect(setAside()).toEqual(['bad\n'])
})

test("an unreadable file of the relay's spool is set aside unchanged", async () => {
  const place = await waiting(['first\n', 'second\n'], () => null)
  const [name = ''] = fs.readdirSync(path.join(lab.folder, 'spool', HASH)).sort()
  fs.writeFileSync(path.join(lab.folder, 'spool', HASH, name), 'torn')
  place.forwarder.wake()
  await emptied(place)
  expect(place.spool.aside).toBe(1)
  const folder = path.join(lab.folder, 'set-aside', HASH)
  const [kept = ''] = fs.readdirSync(folder)
  expect(fs.readFileSync(path.join(folder, kept), 'utf8')).toBe('torn')
})

test('an invalid answer is not an acknowledgment: the batch is sent again after half a minute', async () => {
  let isPortal = true
  const place = await waiting(['one\n'], () =>
    isPortal ? { status: 200, body: '<html>Log in' } : null,
  )
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  place.forwarder.wake()
  await vi.waitUntil(() => lab.lines.join().includes('has an unknown format'), SOON)
  expect(place.spool.batches).toBe(1)
  isPortal = false
  await vi.advanceTimersByTimeAsync(30_000)
  await vi.waitUntil(() => place.spool.isEmpty(HASH), SOON)
})

test('the forwarded part of a batch is not sent again after an outage of the control plane', async () => {
  const line = (letter: string) => `${letter.repeat(3 * 1024 * 1024)}\n`
  const bodies: string[] = []
  let isAway = true
  const place = await waiting([line('a') + line('b')], ({ body }) => {
    if (isAway && body.startsWith('b')) return { status: 503 }
    bodies.push(body.slice(0, 1))
    return null
  })
  place.forwarder.wake()
  await soon(() => expect(place.spool.oldest(HASH)?.lines?.slice(0, 1)).toBe('b'))
  isAway = false
  await soon(() => expect(place.upstream.awaySince).toBeNull())
  place.forwarder.wake()
  await emptied(place)
  expect(bodies).toEqual(['a', 'b'])
})
