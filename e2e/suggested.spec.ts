// Good sessions test before they deploy, and bad ones do not. Users find the rule in recorded sessions: for a prompt with a config and for
// one without.
import { expect, type Page } from '@playwright/test'
import type { ConfigDocument } from '@signalbox/core'
import { createGuardrails, type GuardedSession } from '@signalbox/runtime'
import { barriersInThemes } from './barriers.ts'
import { collectProblems } from './page-problems.ts'
import { call, publishFirst, read } from './procedures.ts'
import { secrets } from './product.ts'
import { DESK, test } from './test.ts'

type Prompt = Pick<ConfigDocument, 'ns' | 'key'>

const NS = `learn-${Date.now().toString(36)}`

const withRules = (prompt: Prompt): ConfigDocument => ({
  ...{ schema_version: 1, ...prompt },
  policies: [{ id: 'mail', type: 'rate_limit', tools: ['mail'], max_calls: 9, per_seconds: 60 }],
})

async function run(session: GuardedSession, tool: string): Promise<void> {
  const asked = { tool, args: {}, callId: tool }
  expect(await session.beforeToolCall(asked)).toMatchObject({ allowed: true })
  await session.afterToolCall({ ...asked, outcome: 'success' })
}

/** Ids of sessions in which an agent calls these tools. Their events are sent afterwards, because a connected agent needs a released config. */
async function runSessions(
  page: Page,
  config: ConfigDocument,
  sessions: readonly (readonly string[])[],
): Promise<readonly string[]> {
  const ids: string[] = []
  let lines = ''
  const guardrails = createGuardrails({ config, onEvent: (line) => (lines += `${line}\n`) })
  for (const tools of sessions) {
    const session = guardrails.openSession({})
    for (const tool of tools) await run(session, tool)
    await session.end({ reason: 'completed' })
    ids.push(session.id)
  }
  await guardrails.close()
  const answer = await page.request.post('/api/runtime/v1/events', {
    headers: {
      authorization: `Bearer ${secrets().demoKey}`,
      'content-type': 'application/x-ndjson',
    },
    data: lines,
  })
  expect(await answer.json()).toMatchObject({ errors: [] })
  return ids
}

const TESTED = [
  ['look', 'list', 'test', 'deploy'],
  ['list', 'look', 'test', 'deploy'],
] as const
const UNTESTED = ['look', 'deploy'] as const

const repeat = (count: number, ...scripts: readonly (readonly string[])[]) =>
  Array.from({ length: count }, (_, i) => scripts[i % scripts.length] ?? [])

async function markAsBad(page: Page, ids: readonly string[]): Promise<void> {
  for (const sessionId of ids) await call(page, 'labels.set', { sessionId, seq: 0, label: 'bad' })
}

async function searchAgain(page: Page, prompt: Prompt): Promise<void> {
  const findAt = async () => {
    const place = { ...prompt, environment: 'dev' }
    const found = await read<{ readonly sample: { readonly at: number } }>(
      page,
      'suggestions.find',
      place,
    )
    return found.sample.at
  }
  const before = await findAt()
  await page.getByRole('button', { name: 'Search again' }).click()
  await expect.poll(findAt).toBeGreaterThan(before)
  await expect(page.getByRole('button', { name: 'Search again' })).toBeVisible()
}

test('a guard that bad sessions broke is dismissed, restored, and added to the draft in shadow mode; it is not kept when too many good sessions break it', {
  tag: '@soak',
}, async ({ page }) => {
  const problems = collectProblems(page)
  const prompt = { ns: NS, key: 'coder' }
  const config = withRules(prompt)
  await publishFirst(page, prompt, { text: JSON.stringify(config), note: 'first' })
  const unmarked = await runSessions(page, config, [...repeat(59, ...TESTED), UNTESTED])
  const lone = unmarked.at(-1) ?? ''
  await markAsBad(page, await runSessions(page, config, repeat(6, UNTESTED)))

  await page.goto(`/configs/${NS}/coder`)
  await page.getByRole('link', { name: 'Suggested rules' }).click()
  await expect(page).toHaveURL(/\/suggested$/)
  await page.getByRole('button', { name: 'Search for rules' }).click()
  const sentence = await page
    .getByRole('heading', { name: /^deploy ran only when test had succeeded/ })
    .first()
    .innerText()
  const rule = page.getByRole('article').filter({
    has: page.getByRole('heading', { name: sentence, exact: true }),
  })
  await expect(rule).toContainText('6 of 6 bad sessions would have been denied')
  await expect(rule).toContainText('1 of 60 good sessions would have been denied')
  await expect(
    page.getByText(/^From 60 good sessions in the 30 days before the search, 6 marked bad/),
  ).toBeVisible()
  expect(await barriersInThemes(page)).toEqual([])
  await page.setViewportSize({ width: 390, height: 844 })
  const width = await page.evaluate(() => document.documentElement.scrollWidth)
  expect(width).toBeLessThanOrEqual(390)
  await page.setViewportSize(DESK)
  await expect(rule.locator(`a[href$="/sessions/${lone}"]`)).toBeVisible()

  await rule.getByRole('button', { name: 'Dismiss…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Dismiss the rule?' })
  await dialog.getByRole('button', { name: /^Dismiss/ }).click()
  await expect(dialog.getByRole('alert')).toContainText('Enter the reason.')
  await dialog.getByLabel('Reason').fill('Deploys are tested elsewhere.')
  await dialog.getByRole('button', { name: /^Dismiss/ }).click()
  const dismissed = page.getByRole('region', { name: 'Dismissed' })
  await dismissed.getByRole('heading', { name: 'Dismissed' }).click()
  await expect(dismissed).toContainText('Deploys are tested elsewhere.')
  await expect(rule.getByRole('button', { name: 'Dismiss…' })).toHaveCount(0)
  await searchAgain(page, prompt)
  await expect(rule.getByRole('button', { name: 'Dismiss…' })).toHaveCount(0)
  await dismissed.getByRole('button', { name: 'Restore' }).click()
  await expect(dismissed).toHaveCount(0)
  await searchAgain(page, prompt)

  await rule.getByRole('button', { name: 'Add to draft in shadow' }).click()
  await expect(rule).toContainText('In the draft')
  await rule.getByRole('link', { name: 'Open the editor' }).click()
  await expect(page).toHaveURL(/\/edit$/)
  const editor = page.locator('.cm-content')
  await expect(editor).toContainText('sequential_dependency')
  await expect(editor).toContainText('"mode": "shadow"')

  const [second = ''] = await runSessions(page, config, [UNTESTED])
  await page.goto(`/configs/${NS}/coder/suggested`)
  await searchAgain(page, prompt)
  const notKept = page.getByRole('region', { name: 'Not kept' })
  await notKept.getByRole('heading', { name: 'Not kept' }).click()
  const refused = notKept.getByRole('article').filter({ has: page.getByText(sentence) })
  await expect(refused).toContainText('2 of 61 good sessions would have been denied')
  for (const id of [lone, second])
    await expect(refused.locator(`a[href$="/sessions/${id}"]`)).toBeVisible()
  await expect(refused.getByRole('button', { name: /Add/ })).toHaveCount(0)
  expect(problems).toEqual([])
})

test('a prompt without a config gets a draft with the guards of its recorded sessions', {
  tag: '@soak',
}, async ({ page }) => {
  const problems = collectProblems(page)
  const prompt = { ns: NS, key: 'fresh' }
  const config = withRules(prompt)
  const notified = TESTED.map((tools) => [...tools, 'notify'])
  await runSessions(page, config, repeat(48, ...notified, ...TESTED))
  await markAsBad(page, await runSessions(page, config, repeat(4, UNTESTED)))

  await page.goto('/configs/new')
  await page.getByRole('radio', { name: 'Recorded sessions' }).check()
  await page.getByRole('combobox', { name: 'Recorded prompt' }).click()
  await page.getByRole('option', { name: `${NS}/fresh` }).click()
  await page.getByRole('button', { name: 'Search for rules' }).click()
  const guard = page
    .getByRole('checkbox', { name: 'deploy ran only when test had succeeded' })
    .first()
  await expect(guard).toBeChecked()
  const preview = page.getByRole('complementary', { name: 'Preview' })
  await expect(preview).toContainText('ran only when')
  expect(await barriersInThemes(page)).toEqual([])
  const habits = page.getByRole('region', { name: 'Habits' })
  await habits.getByRole('heading', { name: 'Habits' }).click()
  await expect(habits.getByRole('checkbox').first()).not.toBeChecked()
  await preview.getByRole('button', { name: 'Create draft' }).click()
  await expect(page).toHaveURL(new RegExp(`/configs/${NS}/fresh/edit`))
  const editor = page.locator('.cm-content')
  await expect(editor).toContainText('sequential_dependency')
  await expect(editor).toContainText('"mode": "shadow"')
  expect(problems).toEqual([])
})
