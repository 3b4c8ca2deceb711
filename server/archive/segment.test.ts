import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { ArchivedEvent } from './archive.sql.ts'
import { pack, unpack } from './segment.ts'

const event = (seq: number, more: Partial<ArchivedEvent> = {}): ArchivedEvent => ({
  sessionId: 'sess_1',
  seq,
  at: 1_795_000_000_000 + seq,
  receivedAt: 1_795_000_000_100,
  type: 'note',
  verdict: null,
  subject: null,
  summary: '',
  durationMs: null,
  nativeTool: null,
  data: '{"text":"a"}',
  config: null,
  trace: null,
  prev: null,
  hash: 'a'.repeat(64),
  ...more,
})

async function packAll(events: readonly ArchivedEvent[]): Promise<Buffer> {
  async function* pages() {
    yield events
  }
  return await pack(pages())
}

async function unpackAll(bytes: Buffer): Promise<readonly ArchivedEvent[]> {
  const found: ArchivedEvent[] = []
  for await (const page of unpack(bytes)) found.push(...page)
  return found
}

test.each([
  ['NUL and half a surrogate pair', { data: String.raw`{"text":"\u0000 \ud800"}` }],
  ['numbers that JavaScript writes differently', { data: '{"n":1.0,"big":1e400,"n":2}' }],
  ['line and paragraph separators', { data: '{"text":"\u2028\u2029\r"}', summary: '\u2028\r' }],
  ['texts that look like the end of the envelope', { summary: ',"data":{}', subject: '"data":' }],
  ['a text outside of the basic plane', { summary: '🚦'.repeat(20_000) }],
])('an archived event keeps %s', async (_, more) => {
  const events = [event(1, more), event(2)]
  expect(await unpackAll(await packAll(events))).toEqual(events)
})

test('an archived session of many pages is read page by page, in order', async () => {
  const events = Array.from({ length: 5_000 }, (_, index) => event(index + 1))
  const sizes: number[] = []
  const seqs: number[] = []
  for await (const page of unpack(await packAll(events))) {
    sizes.push(page.length)
    seqs.push(...page.map(({ seq }) => seq))
  }
  expect(seqs).toEqual(events.map(({ seq }) => seq))
  expect(Math.max(...sizes)).toBeLessThan(2_000)
})

test('the lines of an archived session are JSON that other programs read', async () => {
  const data = '{\n "text": "a" }'
  const [line] = gunzipSync(await packAll([event(7, { data })]))
    .toString('utf8')
    .split('\n')
  expect(JSON.parse(line ?? '')).toMatchObject({ seq: 7, type: 'note', data: { text: 'a' } })
})
