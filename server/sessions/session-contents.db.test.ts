import { beforeAll, expect, test } from 'vitest'
import { api } from '@/server/http/api.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import {
  chained,
  createProjectCaller,
  type Draft,
  eventsRequest,
  installed,
  makeKey,
  ndjson,
  newSessionId,
  otherProject,
  started,
} from '@/server/test/installation.ts'

withTestDatabase()

const sessionId = newSessionId()
let caller: Awaited<ReturnType<typeof createProjectCaller>>

const looked = (path: string, exists: boolean, fingerprint = ''): Draft => ({
  type: 'file.observed',
  data: {
    path,
    facts: {
      files: {
        [path]: exists ? { exists, kind: 'file', fingerprint } : { exists },
      },
    },
  },
})
const planned = (...statuses: readonly string[]): Draft => ({
  type: 'plan.updated',
  data: { steps: statuses.map((status, index) => ({ title: `Step ${index + 1}`, status })) },
})

const DRAFTS: readonly Draft[] = [
  started({ ns: 'contents', key: 'agent' }),
  planned('pending', 'pending'),
  { type: 'note', data: { text: 'It costs 100% of "a_b" and Über' } },
  { type: 'note', data: { text: 'It costs 1000 of "aXb" and nothing' } },
  looked('report.md', false),
  looked('src/a.ts', true, 'sha256:1'),
  planned('done', 'pending'),
  looked('report.md', true, 'sha256:2'),
  looked('src/a.ts', true, 'sha256:3'),
  // Text that PostgreSQL's own operators refuse to read, and text that only looks like it.
  looked('www/\0\0 \\u0000 \ud800', true, 'sha256:\\\0'),
]

beforeAll(async () => {
  const project = await installed()
  const key = await makeKey(project)
  caller = await createProjectCaller(project, 'viewer')
  const events = chained(sessionId, DRAFTS, { at: 1_795_000_000_000 })
  expect((await api.fetch(eventsRequest(key, ndjson(events)))).status).toBe(200)
})

test.each([
  [['costs'], [3, 4]],
  [['ÜBER', 'COSTS'], [3]],
  [['COSTS', 'nothing'], [4]],
  [['100%'], [3]],
  [['"a_b"'], [3]],
  [['Über'], [3]],
  [['nowhere'], []],
])('a search in payloads for %j finds the events %j', async (words, seqs) => {
  expect(await caller.sessions.search({ sessionId, words })).toEqual({ seqs, isCut: false })
})

test('a file that appeared is distinguished from one that changed', async () => {
  expect(await caller.sessions.files({ sessionId })).toEqual([
    {
      path: 'report.md',
      looks: 2,
      firstSeq: 5,
      lastSeq: 8,
      wasThere: false,
      isThere: true,
      seenSeq: 8,
      contents: 1,
    },
    {
      path: 'src/a.ts',
      looks: 2,
      firstSeq: 6,
      lastSeq: 9,
      wasThere: true,
      isThere: true,
      seenSeq: 6,
      contents: 2,
    },
    expect.objectContaining({ path: 'www/\u{FFFD}\u{FFFD} \\u0000 \u{FFFD}', contents: 1 }),
  ])
})

test('plan updates of a session are listed newest first, in pages', async () => {
  const { updates, before } = await caller.sessions.plans({ sessionId })
  expect(updates.map(({ seq }) => seq)).toEqual([7, 2])
  expect(updates[0]?.steps).toEqual([
    { title: 'Step 1', status: 'done' },
    { title: 'Step 2', status: 'pending' },
  ])
  expect(before).toBeNull()
  expect((await caller.sessions.plans({ sessionId, cursor: 7 })).updates).toHaveLength(1)
})

test('another project finds no files, plans or payloads of the session', async () => {
  const stranger = await createProjectCaller(await otherProject(), 'viewer')
  await expect(stranger.sessions.search({ sessionId, words: ['costs'] })).rejects.toThrow(sessionId)
  await expect(stranger.sessions.files({ sessionId })).rejects.toThrow(sessionId)
  await expect(stranger.sessions.plans({ sessionId })).rejects.toThrow(sessionId)
})
