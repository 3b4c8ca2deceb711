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
import type { TriedKind } from './try-rule.ts'

withTestDatabase()

const PROMPT = { ns: 'tried', key: 'agent' }
/** Recorded tool names that the draft's rules call by another name. */
const ALIASES = { run_tests_now: 'run_tests' }
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
const tryIt = (rule: unknown, kind: TriedKind = 'policy') =>
  viewer.backtests.tryRule({ ...PROMPT, kind, text: JSON.stringify(rule), aliases: ALIASES })

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
    { type: 'stop.attempted', data: { via: 'turn_end' } },
    ...call('5', 'run_tests_now', {}),
    { type: 'stop.attempted', data: { via: 'turn_end' } },
    { type: 'stop.attempted', data: { via: 'final' } },
  ])
  expect((await api.fetch(eventsRequest(key, ndjson(log)))).status).toBe(200)
})

test('a condition is tried on the recorded calls of its tools, with the reason of each result', async () => {
  const deny_when = "args.command.startsWith('rm ')"
  const policy = { id: 'no-rm', type: 'expression', tools: ['shell'], deny_when }
  const tried = await tryIt(policy)
  expect(tried).toMatchObject({ sessions: 1, counts: { passes: 1, acts: 1, error: 1, unknown: 0 } })
  expect(tried?.events.map(({ result, tool, session }) => [result, tool, session])).toEqual([
    ['acts', 'shell', SESSION],
    ['error', 'shell', SESSION],
    ['passes', 'shell', SESSION],
  ])
  expect(tried?.events[0]?.sentence).toBe(`The deny condition is met: ${deny_when}`)
})

test('a policy with a memory is tried from the start of each session', async () => {
  const limit = { id: 'few', type: 'rate_limit', tools: ['shell'], max_calls: 2, per_seconds: 600 }
  expect((await tryIt(limit))?.counts).toEqual({ passes: 2, acts: 1, error: 0, unknown: 0 })
})

test('a check is tried on the recorded stops; the final verification is none', async () => {
  const tested = { id: 'tested', type: 'tool_succeeded', tool: 'run_tests' }
  const tried = await tryIt(tested, 'checker')
  expect(tried?.counts).toEqual({ passes: 1, acts: 1, error: 0, unknown: 0 })
  expect(tried?.events.map(({ result, tool }) => [result, tool])).toEqual([
    ['acts', null],
    ['passes', null],
  ])
})

test('feedback is tried on the recorded calls', async () => {
  const told = {
    ...{ id: 'told', type: 'static', feedback: 'Look at the plan.' },
    trigger: { every_n_calls: 2 },
  }
  const tried = await tryIt(told, 'feedback_provider')
  expect(tried?.counts).toEqual({ passes: 0, acts: 2, error: 0, unknown: 0 })
  expect(tried?.events[0]).toMatchObject({ result: 'acts', sentence: 'Look at the plan.' })
})

test('a result that needs a fact which was not recorded is unknown', async () => {
  const files = { id: 'files', type: 'files_exist', files: ['NOTES.md'] }
  expect((await tryIt(files, 'checker'))?.counts).toMatchObject({ acts: 0, unknown: 2 })
  const created = {
    ...{ id: 'created', type: 'static', feedback: 'Read it again.' },
    trigger: { on_file_created: { filename: 'NOTES.md' } },
  }
  expect((await tryIt(created, 'feedback_provider'))?.counts).toMatchObject({ acts: 0, unknown: 5 })
  const both = { ...created, trigger: { ...created.trigger, every_n_calls: 2 } }
  expect((await tryIt(both, 'feedback_provider'))?.counts).toMatchObject({ acts: 0, unknown: 5 })
  const read = {
    id: 'read',
    type: 'read_before_write',
    read_tools: ['read_file'],
    write_tools: ['shell'],
    path_params: ['command'],
  }
  expect((await tryIt(read))?.counts).toMatchObject({ acts: 0, unknown: 2 })
})

test('the arguments of recorded calls are known by tool', async () => {
  expect(await viewer.backtests.argumentNames(PROMPT)).toEqual({
    shell: ['command'],
    read_file: ['path'],
    run_tests_now: [],
  })
})

test('what is no rule yet is not tried, and a prompt without sessions has no calls', async () => {
  expect(await tryIt(null)).toBeNull()
  expect(await tryIt({ id: 'no-rm', type: 'expression', deny_when: 'args.' })).toBeNull()
  expect(await tryIt({ id: 'own', type: 'acme/own' })).toBeNull()
  const text = JSON.stringify({ id: 'x', type: 'expression', deny_when: 'true' })
  const nowhere = { ...NOWHERE, kind: 'policy' as const, text }
  expect(await viewer.backtests.tryRule(nowhere)).toMatchObject({ sessions: 0, events: [] })
})
