import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createGuardrails } from '@signalbox/runtime'
import { expect, onTestFinished, test } from 'vitest'
import { RULES } from '../test/daemon-rules.ts'
import { SessionKeeper } from './session-keeper.ts'

test('a session with the name of an ending session opens only after that end is recorded', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-keeper-'))
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }))
  const guardrails = createGuardrails({ config: RULES })
  const keeper = new SessionKeeper({ guardrails, folder, report: () => undefined })
  const key = { harness: 'claude-code', session: 'one' }
  const first = await keeper.open(key, {})
  let hasBegun = false
  const again = keeper.open(key, {}).then((session) => {
    hasBegun = true
    return session
  })
  await first.end({ reason: 'completed' })
  expect(hasBegun).toBe(false)
  keeper.ended(key)
  const second = await again
  expect(second.id).not.toBe(first.id)
  // Late events of the first must not enter the journal of the second.
  await first.note('late')
  keeper.close()
  const [name = ''] = fs.readdirSync(folder)
  expect(fs.readFileSync(path.join(folder, name), 'utf8')).not.toContain(first.id)
})

test('the longest approval counts the approval rules of sections', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sbx-keeper-'))
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }))
  const asks = (id: string, timeout_seconds: number) =>
    ({ id, type: 'approval', tools: ['deploy'], timeout_seconds }) as const
  const guardrails = createGuardrails({
    config: {
      ...RULES,
      sections: [{ id: 'release', tools: ['deploy'], policies: [asks('release', 300)] }],
      policies: [asks('ask', 60)],
    },
  })
  const keeper = new SessionKeeper({ guardrails, folder, report: () => undefined })
  expect(keeper.longestApprovalMs).toBe(0)
  await keeper.open({ harness: 'claude-code', session: 'one' }, {})
  expect(keeper.longestApprovalMs).toBe(300_000)
  keeper.close()
})
