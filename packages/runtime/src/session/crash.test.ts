import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { ConfigDocument } from '@signalbox/core'
import { FakeControlPlane, PROMPT, RULES } from '@signalbox/testkit'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createGuardrails } from '../index.ts'
import { startAgent } from '../test/agent-process.ts'

let plane: FakeControlPlane
let folder: string

beforeEach(async () => {
  plane = new FakeControlPlane()
  await plane.start()
  plane.publish(RULES)
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-crash-'))
})

afterEach(async () => {
  await plane.stop()
  fs.rmSync(folder, { recursive: true, force: true })
})

const dataDir = () => path.join(folder, 'data')
const args = () => [plane.url, plane.apiKey, dataDir()]

test('an agent killed while it records loses no event that took effect, and the next process sends each once', async () => {
  const agent = await startAgent('emitting-agent', { folder, args: args() })
  let told = ''
  agent.stdout?.on('data', (chunk: Buffer) => {
    told += chunk.toString()
  })
  await vi.waitFor(() => expect(told.split('\n').length).toBeGreaterThan(400), { timeout: 20_000 })
  // Events keep coming while the server is cut off, so that some are in flight and some only on disk.
  await plane.stop()
  await vi.waitFor(() => expect(told.split('\n').length).toBeGreaterThan(800), { timeout: 20_000 })
  agent.kill('SIGKILL')
  await once(agent, 'exit')
  await plane.start()

  const lines = told.slice(0, told.lastIndexOf('\n')).split('\n')
  const [session = '', last = '0'] = (lines.at(-1) ?? '').split(' ')
  const next = createGuardrails({
    url: plane.url,
    apiKey: plane.apiKey,
    prompt: PROMPT,
    dataDir: dataDir(),
  })
  await next.ready()
  await next.close(30_000)

  const log = plane.events.events(session)
  expect(log.length).toBeGreaterThanOrEqual(Number(last))
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, i) => i + 1))
  const [installation = ''] = fs.readdirSync(dataDir())
  expect(fs.readdirSync(path.join(dataDir(), installation, 'spool'))).toEqual([])
}, 60_000)

test('a session of a killed agent continues in another process with one log, where earlier results count', async () => {
  const agent = await startAgent('journaling-agent', { folder, args: args() })
  let told = ''
  agent.stdout?.on('data', (chunk: Buffer) => {
    told += chunk.toString()
  })
  await vi.waitFor(() => expect(told.split('\n').length).toBeGreaterThan(200), { timeout: 20_000 })
  agent.kill('SIGKILL')
  await once(agent, 'exit')

  const kept = (name: string) => fs.readFileSync(path.join(folder, name), 'utf8')
  const events = kept('journal.ndjson').split('\n').slice(0, -1)
  const lines: string[] = []
  const next = createGuardrails({
    url: plane.url,
    apiKey: plane.apiKey,
    prompt: PROMPT,
    dataDir: dataDir(),
  })
  await next.ready()
  const session = next.openSession({
    resume: { events, config: JSON.parse(kept('config.json')) },
    journal: {
      begin: () => undefined,
      take: () => undefined,
      append: (line) => void lines.push(line),
    },
  })
  expect((await session.beforeToolCall({ tool: 'deploy', args: {} })).allowed).toBe(true)
  await session.end({ reason: 'aborted' })
  await next.close(30_000)

  const log = plane.events.events(session.id)
  expect(plane.events.sessions()).toEqual([session.id])
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, i) => i + 1))
  expect(plane.events.text(session.id).split('\n')).toEqual([...events, ...lines])
  const [installation = ''] = fs.readdirSync(dataDir())
  expect(fs.readdirSync(path.join(dataDir(), installation, 'spool'))).toEqual([])
}, 60_000)

test('a session whose agent was killed after tightening continues with the stricter version', async () => {
  const stricter: ConfigDocument = {
    ...RULES,
    policies: [
      ...(RULES.policies ?? []),
      { id: 'reviewed', type: 'sequential_dependency', dependencies: { deploy: ['review'] } },
    ],
  }
  const agent = await startAgent('journaling-agent', { folder, args: args() })
  const kept = (name: string) => fs.readFileSync(path.join(folder, name), 'utf8')
  const readKeptLines = (name: string) => kept(name).split('\n').slice(0, -1)
  const taken = () =>
    readKeptLines('journal.ndjson').filter((line) => line.includes('config.applied'))
  await vi.waitFor(() => expect(taken()).toHaveLength(1), { timeout: 20_000 })
  plane.publishBeside({ ...stricter }, { tighten: true })
  await vi.waitFor(() => expect(taken()).toHaveLength(2), { timeout: 20_000 })
  agent.kill('SIGKILL')
  await once(agent, 'exit')

  const next = createGuardrails({
    url: plane.url,
    apiKey: plane.apiKey,
    prompt: PROMPT,
    dataDir: dataDir(),
  })
  const session = next.openSession({
    resume: {
      events: readKeptLines('journal.ndjson'),
      config: JSON.parse(kept('config.json')),
      taken: readKeptLines('taken.ndjson').map((line) => JSON.parse(line)),
    },
  })
  expect(session.config).toEqual(stricter)
  const deploy = await session.beforeToolCall({ tool: 'deploy', args: {} })
  expect(deploy.reason).toBe("Tool 'deploy' requires: review")
  await session.end({ reason: 'aborted' })
  await next.close(30_000)
  const log = plane.events.events(session.id)
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, i) => i + 1))
  const lines = plane.events.text(session.id).split('\n')
  expect(new Set(lines.map((line) => JSON.parse(line).config)).size).toBe(2)
}, 60_000)

test('the process of an agent that never closes its guardrails can exit', async () => {
  const agent = await startAgent('forgetful-agent', { folder, args: args() })
  const [code] = await once(agent, 'exit')
  expect(code).toBe(0)
}, 20_000)

test('the process of an agent without a control plane does not exit before its guardrails are closed', async () => {
  await plane.stop()
  const agent = await startAgent('stranded-agent', { folder, args: args() })
  let told = ''
  agent.stdout?.on('data', (chunk: Buffer) => {
    told += chunk.toString()
  })
  const [code] = await once(agent, 'exit')
  expect([code, told]).toEqual([0, 'closed'])
}, 20_000)
