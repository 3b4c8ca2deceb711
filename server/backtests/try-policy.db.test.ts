import type { JsonObject } from '@signalbox/core'
import { beforeAll, expect, test } from 'vitest'
import { api } from '@/server/http/api.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import {
  createProjectCaller,
  eventsRequest,
  installed,
  makeKey,
  ndjson,
  newSessionId,
  started,
} from '@/server/test/installation.ts'
import { recordedSession } from '@/server/test/recorded-session.ts'

withTestDatabase()

const PROMPT = { ns: 'tried', key: 'agent' }
const NOWHERE = { ns: 'tried', key: 'nowhere' }
const SESSION = newSessionId()
const release = {
  digest: `sha256:${'0'.repeat(64)}`,
  text: JSON.stringify({ schema_version: 1, ...PROMPT }),
}

let viewer: Awaited<ReturnType<typeof createProjectCaller>>

const call = (call_id: string, tool: string, args: JsonObject) => [
  { type: 'tool.requested' as const, data: { call_id, tool, args } },
  { type: 'tool.invoked' as const, data: { call_id, tool, outcome: 'success' as const } },
]
const tryIt = (policy: unknown) =>
  viewer.backtests.tryPolicy({ ...PROMPT, text: JSON.stringify(policy) })

beforeAll(async () => {
  const project = await installed()
  const key = await makeKey(project)
  viewer = await createProjectCaller(project, 'viewer')
  const editor = await createProjectCaller(project, 'editor')
  for (const prompt of [PROMPT, NOWHERE]) await editor.configs.create(prompt)
  const log = recordedSession({ session: SESSION, at: Date.now() - 60_000, release }, [
    started(PROMPT),
    ...call('1', 'shell', { command: 'ls' }),
    ...call('2', 'shell', { command: 'rm -rf /' }),
    ...call('3', 'shell', {}),
    ...call('4', 'read_file', { path: 'a' }),
  ])
  expect((await api.fetch(eventsRequest(key, ndjson(log)))).status).toBe(200)
})

test('a condition is tried on the recorded calls of its tools, with the reason of each result', async () => {
  const deny_when = "args.command.startsWith('rm ')"
  const policy = { id: 'no-rm', type: 'expression', tools: ['shell'], deny_when }
  const tried = await tryIt(policy)
  expect(tried).toMatchObject({ sessions: 1, counts: { allow: 1, deny: 1, error: 1 } })
  expect(tried?.calls.map(({ result, tool, session }) => [result, tool, session])).toEqual([
    ['deny', 'shell', SESSION],
    ['error', 'shell', SESSION],
    ['allow', 'shell', SESSION],
  ])
  expect(tried?.calls[0]?.sentence).toBe(`The condition denies it: ${deny_when}`)
})

test('a policy with a memory is tried from the start of each session', async () => {
  const limit = { id: 'few', type: 'rate_limit', tools: ['shell'], max_calls: 2, per_seconds: 600 }
  expect((await tryIt(limit))?.counts).toEqual({ allow: 2, deny: 1, error: 0 })
})

test('what is no policy yet is not tried, and a prompt without sessions has no calls', async () => {
  expect(await tryIt(null)).toBeNull()
  expect(await tryIt({ id: 'no-rm', type: 'expression', deny_when: 'args.' })).toBeNull()
  expect(await tryIt({ id: 'own', type: 'acme/own' })).toBeNull()
  const text = JSON.stringify({ id: 'x', type: 'expression', deny_when: 'true' })
  const nowhere = { ...NOWHERE, text }
  expect(await viewer.backtests.tryPolicy(nowhere)).toMatchObject({ sessions: 0, calls: [] })
})
