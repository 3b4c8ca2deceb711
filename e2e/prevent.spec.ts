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
import { call, publishFirst, read } from './procedures.ts'
import { DESK, test } from './test.ts'

const PROMPT = { ns: `prevent-${Date.now().toString(36)}`, key: 'coder' }
const GOOD_SESSIONS = 24
const MAIL = { id: 'mail', type: 'rate_limit', tools: ['mail'], max_calls: 9, per_seconds: 60 }

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
  const text = JSON.stringify({ schema_version: 1, ...PROMPT, policies: [MAIL] })
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

test('a search that was canceled starts again, and one that failed gives the reason', async ({
  page,
}) => {
  const problems = collectProblems(page)
  const prompt = { ...PROMPT, key: 'asked' }
  const write = (policies: readonly object[]) =>
    JSON.stringify({ schema_version: 1, ...prompt, policies })
  await call(page, 'configs.create', { ...prompt, text: write([MAIL]) })
  const question = { ask: 'run_without', tool: 'deploy', needs: 'run_tests' }
  const start = async (policies: readonly object[]): Promise<string> => {
    const wish = { ...prompt, environment: 'dev', text: write(policies), question }
    const started = await call<{ readonly sessionId: string }>(
      page,
      'prevention.startExample',
      wish,
    )
    return started.sessionId
  }
  const toPath = (id: string) => `/configs/${prompt.ns}/${prompt.key}/example/prevent/${id}`
  const again = page.getByRole('button', { name: 'Find a change' })

  let canceled = ''
  // A search may end before it is canceled.
  const startAndCancel = async (): Promise<boolean> => {
    canceled = await start([MAIL])
    const marked = { sessionId: canceled, seq: 0 }
    const { id } = await read<{ readonly id: string }>(page, 'prevention.find', marked)
    const { ok } = await call<{ readonly ok: boolean }>(page, 'prevention.cancel', { id })
    return ok
  }
  await expect.poll(startAndCancel).toBe(true)
  await page.goto(toPath(canceled))
  await expect(page.getByText('The search was canceled.')).toBeVisible()
  expect(await barriersInThemes(page)).toEqual([])
  await again.click()
  await expect(page.getByRole('article').first()).toContainText('Refuses this call')

  const never = { id: 'never', type: 'expression', tools: ['deploy'], deny_when: 'true' }
  await page.goto(toPath(await start([MAIL, never])))
  await expect(page.getByRole('main').getByRole('alert')).toHaveText(
    'No run does what the question asks about, or the search for one did not end in time.',
  )
  await expect(again).toBeVisible()
  expect(await barriersInThemes(page)).toEqual([])
  expect(problems).toEqual([])
})
