// An agent pushes with --force. A user marks the call, takes the first change that refuses it and nothing in good sessions, and publishes it:
// the same call of the same agent is refused.
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect } from '@playwright/test'
import type { GuardedSession } from '@signalbox/runtime'
import { barriersInThemes } from './barriers.ts'
import { connectAgent } from './deploying-agent.ts'
import { collectProblems } from './page-problems.ts'
import { publishFirst } from './procedures.ts'
import { DESK, test } from './test.ts'

const PROMPT = { ns: `prevent-${Date.now().toString(36)}`, key: 'coder' }
const GOOD_SESSIONS = 24

async function run(session: GuardedSession, command: string): Promise<boolean> {
  const call = { tool: 'bash', args: { command }, callId: command }
  const { allowed } = await session.beforeToolCall(call)
  if (allowed) await session.afterToolCall({ ...call, outcome: 'success' })
  return allowed
}

/** Sessions in which an agent runs these commands; whether each was allowed, and the id of the last session. */
async function runSessions(sessions: readonly (readonly string[])[]) {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'sbx-prevent-'))
  const guardrails = connectAgent(`${PROMPT.ns}/${PROMPT.key}`, dataDir)
  await guardrails.ready()
  const allowed: boolean[] = []
  let last = ''
  for (const commands of sessions) {
    const session = guardrails.openSession({})
    for (const command of commands) allowed.push(await run(session, command))
    await session.end({ reason: 'completed' })
    last = session.id
  }
  await guardrails.close(5_000)
  rmSync(dataDir, { recursive: true, force: true })
  return { allowed, last }
}

test('a forced push is marked as bad, and the change that a search finds refuses the next one', async ({
  page,
}) => {
  const problems = collectProblems(page)
  const mail = { id: 'mail', type: 'rate_limit', tools: ['mail'], max_calls: 9, per_seconds: 60 }
  const text = JSON.stringify({ schema_version: 1, ...PROMPT, policies: [mail] })
  await publishFirst(page, PROMPT, { text, note: 'first' })
  const good = Array.from({ length: GOOD_SESSIONS }, (_, i) => [
    `git commit -m "${i}"`,
    'git push origin main',
  ])
  const { allowed, last } = await runSessions([...good, ['git push --force origin main']])
  expect(allowed).not.toContain(false)

  await page.goto(`/sessions/${last}`)
  const rows = page.getByRole('grid', { name: 'Events' })
  await rows.getByText('bash').first().click()
  await page.keyboard.press('Shift+!')
  await page.getByRole('link', { name: 'Prevent it ›' }).click()
  await page.getByRole('button', { name: 'Find a change' }).click()
  const first = page.getByRole('article').first()
  await expect(first).toContainText('Refuses this call')
  await expect(first).toContainText('--force')
  await expect(first).toContainText('Refuses nothing in 24 good sessions')
  await expect(
    page.getByText(
      'From 24 good sessions in the 30 days before the search. Not used: 1 marked as bad.',
    ),
  ).toBeVisible()
  expect(await barriersInThemes(page)).toEqual([])
  await page.setViewportSize({ width: 390, height: 844 })
  const width = await page.evaluate(() => document.documentElement.scrollWidth)
  expect(width).toBeLessThanOrEqual(390)
  await page.setViewportSize(DESK)

  await first.getByRole('button', { name: 'Add to draft' }).click()
  await expect(page).toHaveURL(/\/edit$/)
  await page.getByRole('button', { name: 'Review and publish' }).click()
  await page.getByRole('button', { name: 'Publish v2 to dev' }).click()
  await expect(page.getByRole('dialog').getByRole('status')).toContainText('v2')
  const after = await runSessions([['git push origin main', 'git push --force origin main']])
  expect(after.allowed).toEqual([true, false])
  expect(problems).toEqual([])
})
