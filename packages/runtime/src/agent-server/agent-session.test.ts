import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { computeDigest, parseAgentBody } from '@signalbox/wire'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createGuardrails } from '../session/guardrails.ts'
import { readCapabilities } from '../session/harness-capabilities.ts'
import { AgentSession } from './agent-session.ts'
import { SessionRecord } from './session-record.ts'
import { SessionWatch } from './session-watch.ts'
import { AgentLab } from './test/agent-lab.ts'

const CONFIG = { schema_version: 1, ns: 'team', key: 'coder', policies: [] } as const

test('a call without an answer is denied after a kill even when the disk refuses to record it', async () => {
  const lab = await AgentLab.start(CONFIG)
  const rejected = vi.fn()
  process.on('unhandledRejection', rejected)
  onTestFinished(async () => {
    process.off('unhandledRejection', rejected)
    await lab.stop()
  })
  const parsed = parseAgentBody('sessions', JSON.stringify(lab.opening()))
  if (!parsed.ok) throw new Error(parsed.code)
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-record-'))
  onTestFinished(() => fs.rmSync(folder, { recursive: true }))
  const record = new SessionRecord(path.join(folder, 'one.session'))
  record.close()
  const session = createGuardrails({ config: CONFIG }).openSession()
  const answer = {
    session: session.id,
    config: null,
    startup_policy: 'bootstrap',
    url: null,
  } as const
  const body = { call_id: 'a', tool: 'shell', args: {} }
  const call = { callId: 'a', tool: 'shell' }
  const agent = new AgentSession({
    session,
    opening: { owner: 'socket', digest: '', body: parsed.body, answer, isShared: false },
    capabilities: readCapabilities(parsed.body.capabilities),
    watch: new SessionWatch(() => undefined),
    files: null,
    record,
    kept: new Map([['call/a', { digest: computeDigest(body), call, answer: null }]]),
    holdMs: 0,
    onEnd: () => undefined,
  })
  await new Promise((resolve) => setImmediate(resolve))
  expect(rejected).not.toHaveBeenCalled()
  expect(agent.before(body).answer).toMatchObject({ decision: 'deny' })
})
