// From a problem on the Overview to its reason: a session that one check blocks again and again.
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect } from '@playwright/test'
import { createGuardrails } from '@signalbox/runtime'
import { barriersInThemes } from './barriers.ts'
import { collectProblems } from './page-problems.ts'
import { call, publishFirst, read } from './procedures.ts'
import { ORIGIN, secrets } from './product.ts'
import { test } from './test.ts'

const PROMPT = { ns: `overview-${Date.now().toString(36)}`, key: 'agent' }
const NAME = `${PROMPT.ns}/${PROMPT.key}`

test('a session that is blocked three times is named on the Overview, with its reason and its figures', {
  tag: '@soak',
}, async ({ page }) => {
  const problems = collectProblems(page)
  const text = JSON.stringify({
    schema_version: 1,
    ...PROMPT,
    policies: [
      { id: 'tested', type: 'sequential_dependency', dependencies: { deploy: ['test'] } },
      {
        ...{ id: 'noted', type: 'sequential_dependency', mode: 'shadow' },
        dependencies: { announce: ['test'] },
      },
    ],
    task_completion_checker: { id: 'done', type: 'files_exist', files: ['CHANGELOG.md'] },
  })
  await publishFirst(page, PROMPT, { text })
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'sbx-e2e-'))
  const guardrails = createGuardrails({
    url: ORIGIN,
    apiKey: secrets().demoKey,
    prompt: NAME,
    dataDir,
  })
  try {
    await guardrails.ready()
    const session = guardrails.openSession()
    await session.beforeToolCall({ tool: 'deploy', args: {}, callId: 'c1' })
    const announce = { tool: 'announce', args: {}, callId: 'c2' }
    await session.beforeToolCall(announce)
    await session.afterToolCall({ ...announce, outcome: 'success' })
    for (let attempt = 0; attempt < 3; attempt += 1) await session.beforeStop({ via: 'turn_end' })

    const line = page.getByRole('link', { name: new RegExp(`Blocked 3×.*${NAME}`) })
    const more = page.getByRole('button', { name: /^\d+\+? more$/ })
    // What comes while the page is open waits for its reader, and sessions of other stories may be more urgent.
    await expect(async () => {
      await page.goto('/')
      await expect(page.getByText(/\d+ open · most urgent first/)).toBeVisible()
      if (await more.isVisible()) await more.click()
      await expect(line).toBeVisible({ timeout: 3_000 })
    }).toPass({ timeout: 60_000 })
    for (const figure of [
      'Sessions started',
      'Tool calls denied',
      'Stops blocked',
      'Stops bypassed',
    ]) {
      await expect(page.getByRole('heading', { name: figure })).toBeVisible()
    }
    await expect(page.getByRole('img', { name: /^Stops blocked by hour/ })).toBeVisible()
    await expect(page.getByText(/^\d+ of \d+ stop attempts$/).first()).toBeVisible()
    await expect(page.getByText(/^\d+ of [\d,]+ calls, \d+ would be denied$/)).toBeVisible()
    await page.getByRole('button', { name: 'What is a blocked stop?' }).click()
    await expect(page.getByRole('note', { name: 'a blocked stop' })).toContainText('Stop attempts')
    await page.keyboard.press('Escape')
    await expect(page.getByRole('row', { name: new RegExp(NAME) })).toContainText('Blocked')
    expect(await barriersInThemes(page)).toEqual([])

    await page.setViewportSize({ width: 390, height: 844 })
    const width = await page.evaluate(() => document.documentElement.scrollWidth)
    expect(width).toBe(390)
    await line.click()
    await expect(page).toHaveURL(/\/stops\/stop_/)
    await page.goto(`/configs?q=${NAME}`)
    await expect(page.getByRole('row').filter({ hasText: NAME })).toContainText(
      '1 call would be denied',
    )
    await page.goto(`/sessions/${session.id}`)
    await expect(page.getByText('1 would be denied')).toBeVisible()
    await session.end({ reason: 'aborted' })
  } finally {
    await guardrails.close(1000)
    rmSync(dataDir, { recursive: true, force: true })
  }
  expect(problems).toEqual([])
})

test('recommended rules state what they did or would have done, and are turned on in place', async ({
  page,
}) => {
  const problems = collectProblems(page)
  await page.goto('/alerts')
  const card = page.getByRole('listitem').filter({ hasText: 'Sessions run long' })
  await expect(card).toContainText(/Would have fired (0 times|once|\d+ times) in 7 days/)
  const silent = page.getByRole('listitem').filter({ hasText: 'A runtime goes silent' })
  await expect(silent).toContainText('No history for this signal.')
  await card.getByRole('button', { name: 'Turn on: Sessions run long' }).click()
  await expect(card).toContainText('On')
  await expect(card).toContainText(/^.*Fired 0 times in 7 days/)
  expect(await barriersInThemes(page)).toEqual([])
  const rules = await read<readonly { readonly id: string; readonly name: string }[]>(
    page,
    'alerts.rules',
    {},
  )
  const made = rules.find(({ name }) => name === 'Sessions run long')
  await call(page, 'alerts.remove', { id: made?.id })
  expect(problems).toEqual([])
})
