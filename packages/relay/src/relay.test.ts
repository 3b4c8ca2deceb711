import { gzipSync } from 'node:zlib'
import { afterEach, expect, test, vi } from 'vitest'
import type { Relay } from './relay.ts'
import type { RelayAnswer } from './relay-answers.ts'
import { type Answer, type Asked, buildRequest, RelayLab } from './test/relay-lab.ts'

// The relay retries an unreachable control plane after a second.
vi.setConfig({ testTimeout: 30_000 })

let lab: RelayLab

afterEach(() => lab.end())

/** Long enough for a machine that is busy with other tests. */
const soon = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 20_000 })

async function servedBy(relay: Relay): Promise<string | undefined> {
  return (await relay.answerKept('config', buildRequest())).headers?.['signalbox-revision']
}

async function listening(relay: Relay): Promise<string[]> {
  const told: string[] = []
  await relay.answerKept('config', buildRequest())
  await relay.listen(buildRequest(), { send: (text) => told.push(text), end: () => undefined })
  return told
}

async function untilLive(relay: Relay): Promise<void> {
  await soon(async () => {
    const before = lab.asked.length
    await relay.answerKept('config', buildRequest())
    expect(lab.asked.length).toBe(before)
  })
}

test('a release whose bundle could not be fetched is never hidden by the previous bundle', async () => {
  let isBusy = false
  const answer = ({ route }: Asked): Answer =>
    isBusy && route === 'GET config' ? { status: 429 } : null
  lab = new RelayLab(answer)
  const relay = await lab.start()
  const told = await listening(relay)
  await untilLive(relay)
  isBusy = true
  lab.asked.length = 0
  lab.release()
  await soon(() => expect(lab.asked).toContain('GET config'))
  // No one is notified of data that is not there, and the relay does not serve the old data as current.
  expect((await relay.answerKept('config', buildRequest())).status).toBe(429)
  expect(told.join('')).not.toContain('id: 2')
  isBusy = false
  await soon(() => expect(told.join('')).toContain('id: 2'))
  expect(await servedBy(relay)).toBe('2')
})

test('a release made during a short outage of the control plane is fetched when the outage ends', async () => {
  let isAway = false
  lab = new RelayLab(({ route }) => (isAway && route === 'POST heartbeat' ? { status: 503 } : null))
  const relay = await lab.start()
  const told = await listening(relay)
  await untilLive(relay)
  isAway = true
  await relay.heartbeat(buildRequest('{}'))
  lab.release()
  await soon(() => expect(told.join('')).toContain('id: 2'))
  expect(await servedBy(relay)).toBe('2')
})

test('a revision without a notification is fetched after the next heartbeat', async () => {
  lab = new RelayLab()
  const relay = await lab.start()
  const told = await listening(relay)
  await untilLive(relay)
  lab.revision = 5
  await relay.heartbeat(buildRequest('{}'))
  await soon(() => expect(told.join('')).toContain('id: 5'))
  expect(await servedBy(relay)).toBe('5')
})

const formatNoteLine = (seq: number, text = 'hello') =>
  `${JSON.stringify({ session: 'sess_1', seq, at: 1, type: 'note', data: { text } })}\n`

async function withoutControlPlane(): Promise<Relay> {
  let isAway = false
  lab = new RelayLab(() => (isAway ? { status: 503 } : null))
  const relay = await lab.start()
  await relay.heartbeat(buildRequest('{}'))
  isAway = true
  return relay
}

const parseAnswerBody = ({ body }: RelayAnswer): unknown => JSON.parse(String(body))

test('a relay acknowledges only events that it knows to be stored', async () => {
  const relay = await withoutControlPlane()
  const later = await relay.events(buildRequest(formatNoteLine(2)))
  expect(parseAnswerBody(later)).toMatchObject({ stored: 1, relayed: true, acked_through: {} })
  const first = await relay.events(buildRequest(formatNoteLine(1)))
  expect(parseAnswerBody(first)).toMatchObject({ stored: 1, acked_through: { sess_1: 1 } })
})

test('a relay validates a batch as the control plane does', async () => {
  const relay = await withoutControlPlane()
  const long = formatNoteLine(2, 'x'.repeat(256 * 1024))
  const answer = await relay.events(buildRequest(`${formatNoteLine(1)}\n${long}not json\n`))
  expect(parseAnswerBody(answer)).toMatchObject({
    stored: 1,
    errors: [
      { line: 3, code: 'too_long' },
      { line: 4, code: 'syntax' },
    ],
  })
  const sent = (body: Buffer) => relay.events({ ...buildRequest(body), contentEncoding: 'gzip' })
  expect((await sent(gzipSync(Buffer.alloc(64 * 1024 * 1024 + 1)))).status).toBe(413)
  expect((await sent(Buffer.from('x'))).status).toBe(400)
})
