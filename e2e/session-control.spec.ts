import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, type Page } from '@playwright/test'
import { createGuardrails, type GuardedSession } from '@signalbox/runtime'
import { barriersIn } from './barriers.ts'
import { collectProblems } from './page-problems.ts'
import { publishFirst } from './procedures.ts'
import { ADMIN, ORIGIN, secrets } from './product.ts'
import { PHONE, test } from './test.ts'

const PROMPT = { ns: `control-${Date.now().toString(36)}`, key: 'agent' }
const TEXT = JSON.stringify({
  schema_version: 1,
  ...PROMPT,
  task_completion_checker: { id: 'notes', type: 'files_exist', files: ['notes.md'] },
})

async function look(session: GuardedSession): Promise<string> {
  const call = { tool: 'look', args: {}, callId: `look-${session.state.seq}` }
  const { allowed, reason } = await session.beforeToolCall(call)
  if (allowed) await session.afterToolCall({ ...call, outcome: 'success' })
  return reason ?? 'allowed'
}

async function give(page: Page, verb: string, reason: string): Promise<void> {
  await page.getByRole('button', { name: verb }).click()
  const dialog = page.getByRole('dialog', { name: `${verb}?` })
  await dialog.getByLabel('Reason').fill(reason)
  await dialog.getByRole('button', { name: new RegExp(`^${verb}`) }).click()
  await expect(dialog).toBeHidden()
}

test('a person pauses a running session, resumes it on a phone, and ends it', async ({ page }) => {
  const problems = collectProblems(page)
  await publishFirst(page, PROMPT, { text: TEXT })
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'sbx-e2e-'))
  const prompt = `${PROMPT.ns}/${PROMPT.key}`
  const guardrails = createGuardrails({ url: ORIGIN, apiKey: secrets().demoKey, prompt, dataDir })
  try {
    await guardrails.ready()
    await expect.poll(() => guardrails.status()?.applied?.applied?.version).toBe(1)
    const session = guardrails.openSession()
    expect(await look(session)).toBe('allowed')
    await expect
      .poll(async () => (await page.request.get(`/sessions/${session.id}`)).status())
      .toBe(200)
    await page.goto(`/sessions/${session.id}`)
    const bar = page.getByRole('region', { name: 'Control of the session' })
    await expect(bar.getByRole('button', { name: 'Pause session' })).toBeVisible({
      timeout: 30_000,
    })
    await give(page, 'Pause session', 'It reads the same file again.')
    await expect
      .poll(() => look(session))
      .toBe(`Paused by ${ADMIN.name}: It reads the same file again.`)
    await expect(bar.getByText('Paused', { exact: true })).toBeVisible()
    await expect(bar).toContainText(`${ADMIN.name}: It reads the same file again.`)
    expect(await session.beforeStop({ via: 'turn_end' })).toMatchObject({ allowed: false })
    expect(await barriersIn(page)).toEqual([])

    await page.setViewportSize(PHONE)
    await give(page, 'Resume session', 'It may go on.')
    await expect.poll(() => look(session)).toBe('allowed')
    await expect(bar.getByText('Paused', { exact: true })).toHaveCount(0)

    await give(page, 'End session', 'Enough for today.')
    await expect.poll(() => look(session)).toBe(`Ended by ${ADMIN.name}: Enough for today.`)
    await expect(bar.getByText('Ended', { exact: true })).toBeVisible()
    await expect(bar.getByRole('button')).toHaveCount(0)
    const stop = await session.beforeStop({ via: 'turn_end' })
    expect(stop).toMatchObject({ allowed: true, decision: { bypass: 'ended' } })
    await session.end({ reason: 'completed' })
    await expect(page.getByText(new RegExp(`ended by ${ADMIN.name} after`))).toBeVisible()
    expect(problems).toEqual([])
  } finally {
    await guardrails.close(1000)
    rmSync(dataDir, { recursive: true, force: true })
  }
})
