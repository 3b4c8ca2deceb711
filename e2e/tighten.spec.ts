import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, type Page } from '@playwright/test'
import { createGuardrails, type GuardedSession } from '@signalbox/runtime'
import { collectProblems } from './page-problems.ts'
import { call, openDraft, publishFirst } from './procedures.ts'
import { ORIGIN, secrets } from './product.ts'
import { test } from './test.ts'

const PROMPT = { ns: `tighten-${Date.now().toString(36)}`, key: 'agent' }
const LIMIT = { id: 'looks', type: 'rate_limit', tools: ['look'], max_calls: 9, per_seconds: 60 }
const ORDER = { id: 'tested', type: 'sequential_dependency', dependencies: { deploy: ['test'] } }

const buildPoliciesText = (policies: readonly object[]) =>
  JSON.stringify({ schema_version: 1, ...PROMPT, policies }, null, 2)

async function save(page: Page, policies: readonly object[]): Promise<void> {
  const seen = await openDraft(page, PROMPT)
  await call(page, 'drafts.save', {
    ...PROMPT,
    text: buildPoliciesText(policies),
    seen,
    baseVersion: 1,
  })
}

async function reviewPublish(page: Page) {
  await page.goto(`/configs/${PROMPT.ns}/${PROMPT.key}/edit?publish=dev`)
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('Ready to publish to dev')
  return dialog
}

async function deploy(session: GuardedSession): Promise<boolean> {
  const asked = { tool: 'deploy', args: {}, callId: `deploy-${session.state.seq}` }
  const { allowed } = await session.beforeToolCall(asked)
  if (allowed) await session.afterToolCall({ ...asked, outcome: 'success' })
  return allowed
}

test('a running session switches to a stricter version immediately, and never to a looser one', async ({
  page,
}) => {
  const problems = collectProblems(page)
  await publishFirst(page, PROMPT, { text: buildPoliciesText([LIMIT]) })
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'sbx-e2e-'))
  const prompt = `${PROMPT.ns}/${PROMPT.key}`
  const guardrails = createGuardrails({ url: ORIGIN, apiKey: secrets().demoKey, prompt, dataDir })
  try {
    await guardrails.ready()
    await expect.poll(() => guardrails.status()?.applied?.applied?.version).toBe(1)
    const session = guardrails.openSession()
    expect(await deploy(session)).toBe(true)

    await save(page, [])
    const looser = await reviewPublish(page)
    const running = looser.getByRole('region', { name: 'Running sessions' })
    await expect(running).toContainText('cannot be tightened now')
    await expect(running).toContainText('1 running session under v1 keeps it')
    await expect(running).toContainText('is gone')
    await expect(running.getByRole('checkbox')).toHaveCount(0)

    await save(page, [LIMIT, ORDER])
    const dialog = await reviewPublish(page)
    const offer = dialog.getByRole('region', { name: 'Running sessions' })
    await offer.getByText('Which ones, and what becomes stricter').click()
    await expect(offer).toContainText('1 running session under v1')
    await expect(offer.getByRole('link')).toHaveAttribute('href', `/sessions/${session.id}`)
    await offer.getByRole('checkbox', { name: 'Also tighten 1 running session now' }).check()
    await page.getByRole('button', { name: 'Publish v2 to dev' }).click()
    await expect(dialog.getByRole('status')).toContainText('v2')

    await expect.poll(() => guardrails.status()?.applied?.applied?.version).toBe(2)
    const refused = await session.beforeToolCall({ tool: 'deploy', args: {}, callId: 'last' })
    expect(refused.reason).toBe("Tool 'deploy' requires: test")

    await page.goto(`/sessions/${session.id}`)
    await expect(page.getByText(/tightened to v2 at #\d+/)).toBeVisible()
    await expect(page.getByText('Verified', { exact: true })).toBeVisible()
    await session.end({ reason: 'aborted' })
  } finally {
    await guardrails.close(1000)
    rmSync(dataDir, { recursive: true, force: true })
  }
  expect(problems).toEqual([])
})
