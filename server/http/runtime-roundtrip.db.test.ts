import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createGuardrails, type Diagnostic, type Guardrails } from '@signalbox/runtime'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { runSession } from '@/examples/demo-agent/src/run-session.ts'
import { startAgent } from '@/packages/runtime/src/test/agent-process.ts'
import { publishBundle } from '@/server/bundles/bundles.ts'
import { database } from '@/server/platform/db/client.ts'
import { withTestDatabase } from '@/server/platform/db/test-database.ts'
import { inTransaction } from '@/server/platform/db/transaction.ts'
import { type DataPlaneServer, serveDataPlane } from '@/server/test/data-plane-server.ts'
import {
  createProjectCaller,
  installed,
  makeKey,
  type TestProject,
} from '@/server/test/installation.ts'

withTestDatabase()

const QUICK = 40
const DEMO = { ns: 'demo', key: 'release-notes' }

let project: TestProject
let server: DataPlaneServer
let apiKey: string
let dataDir: string
const open: Guardrails[] = []
const diagnostics: Diagnostic[] = []

beforeAll(async () => {
  project = await installed()
  apiKey = await makeKey(project)
  server = await serveDataPlane()
  dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-roundtrip-'))
})

afterAll(async () => {
  for (const guardrails of open) await guardrails.close(100)
  await server.close()
  fs.rmSync(dataDir, { recursive: true, force: true })
})

async function started(): Promise<Guardrails> {
  const guardrails = createGuardrails({
    url: server.url,
    apiKey,
    prompt: 'demo/release-notes',
    dataDir,
    harness: { name: 'ai-sdk', version: '7' },
    onDiagnostic: (diagnostic) => void diagnostics.push(diagnostic),
  })
  open.push(guardrails)
  await guardrails.ready()
  return guardrails
}

const findSessionId = (told: string): string => /sess_[A-Za-z0-9]+/.exec(told)?.[0] ?? ''
const findStoredSession = (id: string) =>
  database().prisma.session.findUniqueOrThrow({ where: { id } })

describe('the round trip of a runtime', () => {
  test('stores, counts and verifies the whole demo session', async () => {
    const guardrails = await started()
    const told = await runSession(guardrails, { story: 'release-notes', speed: QUICK })
    await guardrails.close()
    expect(told).toMatch(/published\.$/)
    const session = await findStoredSession(findSessionId(told))
    expect(session).toMatchObject({
      environment: 'dev',
      endReason: 'completed',
      verification: 'verified',
      anomalies: 0,
      denied: 2,
      stopsBlocked: 1,
      planDone: 4,
      planTotal: 4,
    })
    expect(session.contiguousSeq).toBe(session.maxSeq)
    expect(await database().prisma.sessionEvent.count({ where: { sessionId: session.id } })).toBe(
      session.maxSeq,
    )
    expect(diagnostics).toEqual([])
  }, 60_000)

  test('applies a stricter version to the next session, without waiting for a poll', async () => {
    const guardrails = await started()
    const publisher = await createProjectCaller(project, 'publisher')
    const file = path.join(
      import.meta.dirname,
      '../../examples/demo-agent/configs/release-notes.json',
    )
    const document = JSON.parse(fs.readFileSync(file, 'utf8'))
    document.sections[1].tools.push('ask_owner')
    document.policies[0].dependencies.publish_notes.push('ask_owner')
    const text = JSON.stringify(document)
    const saved = await publisher.drafts.save({ ...DEMO, text, seen: null, baseVersion: 1 })
    if (!saved.ok) throw new Error('The save was stale.')
    const before = guardrails.status()?.applied?.revision ?? 0
    await publisher.releases.publish({
      ...DEMO,
      draftId: saved.id,
      revision: saved.revision,
      environment: 'dev',
    })
    await vi.waitFor(() => expect(guardrails.status()?.applied?.revision).toBe(before + 1), {
      timeout: 5000,
      interval: 5,
    })
    const told = await runSession(guardrails, { story: 'release-notes', speed: QUICK })
    await guardrails.close()
    expect(told).toContain('I could not publish the release notes')
    const session = await findStoredSession(findSessionId(told))
    expect(session).toMatchObject({ verification: 'verified', configVersion: 2 })
  }, 60_000)

  test('a runtime that is ahead of a restored server accepts its later bundles, even after a restart', async () => {
    const id = project.environments['dev'] ?? ''
    const place = { projectId: project.projectId, environmentId: id }
    const readStoredRevision = async () =>
      (await database().prisma.environment.findUniqueOrThrow({ where: { id } })).revision
    const goBackTo = async (revision: number) => {
      await database().prisma.bundle.deleteMany({
        where: { environmentId: id, revision: { gt: revision } },
      })
      await database().prisma.environment.update({ where: { id }, data: { revision } })
    }
    const backup = await readStoredRevision()
    for (let i = 0; i < 3; i++) await inTransaction((tx) => publishBundle(tx, place))
    const ahead = await started()
    expect(ahead.status()?.applied?.revision).toBe(backup + 3)
    await ahead.close()
    await goBackTo(backup)
    const again = await started()
    await vi.waitFor(
      () => expect(again.status()).toMatchObject({ applied: { revision: backup + 4 } }),
      { timeout: 30_000, interval: 5 },
    )
    expect(again.status()).toMatchObject({ rejected: null, applied: { source: 'server' } })
    await again.close()
    expect(await readStoredRevision()).toBe(backup + 4)
  }, 60_000)

  test('a restarting server and a killed agent lose no event that took effect, and store none twice', async () => {
    const folder = fs.mkdtempSync(path.join(dataDir, 'killed-'))
    const args = [server.url, apiKey, path.join(folder, 'data'), 'demo/release-notes']
    const agent = await startAgent('emitting-agent', { folder, args })
    let told = ''
    agent.stdout?.on('data', (chunk: Buffer) => {
      told += chunk.toString()
    })
    const lines = () => told.slice(0, told.lastIndexOf('\n')).split('\n')
    const reached = (seq: number) =>
      vi.waitFor(() => expect(Number(lines().at(-1)?.split(' ')[1])).toBeGreaterThan(seq), {
        timeout: 30_000,
        interval: 5,
      })
    await reached(500)
    await server.close()
    await reached(1200)
    server = await serveDataPlane(server.port)
    await reached(2000)
    agent.kill('SIGKILL')
    await once(agent, 'exit')

    const [id = '', last = '0'] = (lines().at(-1) ?? '').split(' ')
    const next = createGuardrails({
      url: server.url,
      apiKey,
      prompt: 'demo/release-notes',
      dataDir: path.join(folder, 'data'),
    })
    await next.ready()
    await next.close(30_000)
    const session = await findStoredSession(id)
    expect(session.maxSeq).toBeGreaterThanOrEqual(Number(last))
    expect(session.contiguousSeq).toBe(session.maxSeq)
    const stored = await database().prisma.sessionEvent.count({ where: { sessionId: id } })
    expect(stored).toBe(session.maxSeq)
    expect(session).toMatchObject({ verification: 'verified', endedAt: null })
  }, 120_000)
})
