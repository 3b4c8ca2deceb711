// A week of sessions under two versions: every chart shows its data in its table and its file, and links to a list with exactly the items
// that it counts.
import { gzipSync } from 'node:zlib'
import { expect, type Page } from '@playwright/test'
import { celExpressions } from '@signalbox/core/expression'
import { createGuardrails } from '@signalbox/runtime'
import { fakeClock, STORY_CONFIG, Story } from '@signalbox/testkit'
import { selectSample } from '@/scripts/soak-sample.mjs'
import { barriersInThemes } from './barriers.ts'
import { collectProblems } from './page-problems.ts'
import { call, openDraft } from './procedures.ts'
import { ORIGIN, secrets } from './product.ts'
import { PHONE, test } from './test.ts'

const HOUR = 3_600_000
const PROMPT = { ns: 'charts', key: 'coder' }
const NAME = `${PROMPT.ns}/${PROMPT.key}`
const CONFIG = { ...STORY_CONFIG, ...PROMPT }
const NEXT = {
  ...CONFIG,
  policies: (CONFIG.policies ?? []).filter(({ id }) => id !== 'tests-before-deploy'),
}
const ABOUT = `prompt=${encodeURIComponent(NAME)}`

async function publishTwo(page: Page): Promise<void> {
  await call(page, 'configs.create', { ...PROMPT, text: JSON.stringify(CONFIG) })
  for (const [index, config] of [CONFIG, NEXT].entries()) {
    const seen = await openDraft(page, PROMPT)
    const text = JSON.stringify(config)
    const baseVersion = index === 0 ? null : 1
    const saved = await call<{ id: string; revision: number }>(page, 'drafts.save', {
      ...PROMPT,
      text,
      seen,
      baseVersion,
    })
    const { id: draftId, revision } = saved
    const note = `Version ${index + 1}`
    await call(page, 'releases.publish', { ...PROMPT, draftId, revision, note, environment: 'dev' })
  }
}

async function recordWeek(): Promise<void> {
  const lines: string[] = []
  for (let index = 0; index < 16; index++) {
    const at = Date.now() - HOUR - (15 - index) * 10 * HOUR
    const clock = fakeClock(at)
    const story = new Story({ seed: index + 1, clock })
    const guardrails = createGuardrails({
      config: index < 12 ? CONFIG : NEXT,
      expressions: celExpressions(),
      now: clock.now,
      onEvent: (line) => lines.push(line),
    })
    const session = guardrails.openSession({
      files: story.files,
      workspaceRoot: '/shop',
      deadlineAt: at + (index % 3 === 0 ? 6 : 60) * 60_000,
    })
    await story.tell(session, 120)
    await session.end({ reason: 'completed' })
    await guardrails.close()
  }
  const answer = await fetch(`${ORIGIN}/api/runtime/v1/events`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${secrets().demoKey}`,
      'content-type': 'application/x-ndjson',
      'content-encoding': 'gzip',
    },
    body: gzipSync(`${lines.join('\n')}\n`),
  })
  expect(answer.status).toBe(200)
  expect((await answer.json()).errors).toEqual([])
}

function card(page: Page, question: string) {
  return page
    .locator('section')
    .filter({ has: page.getByRole('heading', { level: 2, name: question }) })
    .first()
}

async function downloaded(page: Page, question: string): Promise<readonly (readonly string[])[]> {
  const waiting = page.waitForEvent('download')
  await card(page, question).getByRole('button', { name: 'Download CSV' }).click()
  const stream = await (await waiting).createReadStream()
  let text = ''
  for await (const part of stream) text += String(part)
  return text
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(','))
}

const parseCount = (text: string): number => Number(text.replaceAll(',', ''))

test.beforeAll(async ({ browser }) => {
  const page = await browser.newPage()
  await page.goto('/')
  // A worker that restarts after a failure finds the week already stored.
  const input = encodeURIComponent(JSON.stringify(PROMPT))
  const known = await page.request.get(`/api/trpc/configs.get?input=${input}`)
  if (!known.ok()) {
    await publishTwo(page)
    await recordWeek()
  }
  await page.close()
})

test('a count in a chart links to its list, and chart, table and file agree', async ({ page }) => {
  const problems = collectProblems(page)
  await page.goto(`/analytics/denials?${ABOUT}&range=7d`)
  const question = 'Denials by rule and tool'
  const pairs = card(page, question)
  await expect(pairs.locator('.recharts-bar-rectangle').first()).toBeVisible()
  const drawn = await pairs.locator('.recharts-label-list text').allTextContents()
  const file = await downloaded(page, question)
  expect(file[0]).toEqual(['Rule', 'Tool', 'denied calls'])
  expect(file.slice(1).map(([, , count]) => Number(count))).toEqual(drawn.map(parseCount))
  await pairs.getByRole('button', { name: 'View as table' }).click()
  await expect(page).toHaveURL(/table=pairs/)
  const rows = pairs.getByRole('row')
  await expect(rows).toHaveCount(file.length)
  expect(await rows.nth(1).getByRole('cell').allTextContents()).toEqual([
    file[1]?.[0],
    file[1]?.[1],
    drawn[0],
  ])
  const largest = parseCount(drawn[0] ?? '')
  await rows.nth(1).getByRole('link').click()
  await expect(page.getByRole('heading', { level: 1, name: 'Denied calls' })).toBeVisible()
  await expect(page.getByRole('status').filter({ hasText: 'denied call' })).toHaveText(
    largest > 100 ? '100 denied calls shown, more available' : `${largest} denied calls`,
  )
  await page.goBack()
  await expect(rows).toHaveCount(file.length)
  expect(problems).toEqual([])
})

test('the page of denials answers in its header, groups by reason, and opens the list of a bucket by keyboard', {
  tag: '@soak',
}, async ({ page }) => {
  await page.goto(`/analytics/denials?${ABOUT}&range=7d`)
  await expect(page.getByText(/^[\d,]+ of [\d,]+ calls were denied \(\d/)).toBeVisible()
  await expect(
    page.getByText(/^Complete: all 16 sessions of this range counted, without the demo$/),
  ).toBeVisible()
  const reasons = card(page, 'Why calls were denied')
  await expect(reasons.getByRole('row').nth(1)).toContainText('File exists and was not read')
  await page.getByRole('combobox', { name: 'Group by' }).click()
  await page.getByRole('option', { name: 'Group by: reason' }).click()
  await expect(page).toHaveURL(/group=reason/)
  const grouped = card(page, 'Denied calls by reason')
  const legend = grouped.getByRole('table', { name: 'Series of "Denied calls by reason"' })
  await expect(legend.getByRole('row').first()).toContainText('%')
  await expect(legend.getByRole('link').first()).toHaveAttribute('href', /\/decisions\?.*code/)
  const picture = grouped.getByRole('img').first()
  await picture.focus()
  for (let step = 0; step < 40; step++) await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/decisions\?/)
})

test('a click on a bar of a chart opens the stops that it counts', {
  tag: '@soak',
}, async ({ page }) => {
  await page.goto(`/analytics/stops?${ABOUT}&range=7d`)
  const reasons = card(page, 'Blocked and failed stops by reason')
  const bars = reasons.locator('.recharts-bar-rectangle')
  await expect(bars.first()).toBeVisible()
  const numbers = await reasons.locator('.recharts-label-list text').allTextContents()
  const last = (await bars.count()) - 1
  await bars.nth(last).click()
  await expect(page).toHaveURL(/\/stops\?.*verdict=blocked.*code=/)
  await expect(page.getByRole('row')).toHaveCount(parseCount(numbers[last] ?? '') + 1)
})

test('the bars of session ends link to as many sessions, by pointer and by keyboard', {
  tag: '@soak',
}, async ({ page }) => {
  const shown = page.locator('footer').filter({ hasText: 'total' })
  const question = 'Time used when sessions ended'
  await page.goto(`/analytics/plans?${ABOUT}&range=7d`)
  const used = card(page, question)
  await expect(used.locator('.recharts-bar-rectangle').first()).toBeVisible()
  const counts = (await used.locator('.recharts-label-list text').allTextContents()).map(parseCount)
  const tenth = counts.findIndex((count) => count > 0)
  await used.locator('.recharts-bar-rectangle').nth(tenth).click()
  await expect(page).toHaveURL(/\/sessions\?.*time-used/)
  await expect(shown).toContainText(`${counts[tenth]} total`)
  for (const [chart, about] of [
    ['endings', 'How sessions ended'],
    ['plan_end', 'Plan progress when sessions ended'],
  ] as const) {
    await page.goto(`/analytics/plans?${ABOUT}&range=7d&version=1&table=${chart}`)
    const row = card(page, about)
      .getByRole('row')
      .filter({ has: page.getByRole('link') })
      .first()
    await expect(row).toBeVisible()
    const count = await row.getByRole('cell').last().textContent()
    await row.getByRole('link').first().focus()
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/\/sessions\?.*ended-version/)
    await expect(shown).toContainText(`${count} total`)
  }
})

test('the bars of feedback link to as many deliveries, by pointer and by keyboard', {
  tag: '@soak',
}, async ({ page }) => {
  const listed = page.getByRole('status').filter({ hasText: /deliver(y|ies)$/ })
  const formatDeliveries = (count: number): string =>
    count > 100
      ? '100 deliveries shown, more available'
      : count === 1
        ? '1 delivery'
        : `${count} deliveries`
  await page.goto(`/analytics/feedback?${ABOUT}&range=30d`)
  const advice = card(page, 'Feedback followed by the suggested action')
  const numbers = advice.locator('.recharts-label-list text')
  await expect(numbers.first()).toBeVisible()
  const drawn = (await numbers.allTextContents()).map(parseCount)
  const bars = advice.locator('.recharts-bar-rectangle')
  // The delivered bar of every provider comes first, then the followed one.
  const place = drawn.findIndex((count, index) => index >= drawn.length / 2 && count > 0)
  expect(place).toBeGreaterThan(0)
  for (const index of [0, place]) {
    await bars.nth(index).click()
    await expect(page).toHaveURL(index === 0 ? /\/feedback\?.*followed=any/ : /followed=yes/)
    await expect(listed).toHaveText(formatDeliveries(drawn[index] ?? 0))
    await page.goBack()
    await expect(numbers.first()).toBeVisible()
  }
  for (const [chart, about] of [
    ['advice', 'Feedback followed by the suggested action'],
    ['deliveries', 'Feedback over time, by provider'],
  ] as const) {
    await page.goto(`/analytics/feedback?${ABOUT}&range=7d&version=1&table=${chart}`)
    const links = card(page, about).getByRole('row').getByRole('link')
    await expect(links.first()).toBeVisible()
    const count = parseCount((await links.last().textContent()) ?? '')
    await links.last().focus()
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/\/feedback\?.*version=1/)
    await expect(listed).toHaveText(formatDeliveries(count))
  }
})

test('delivered feedback opens as a peek next to its list, and at its event in the session', {
  tag: '@soak',
}, async ({ page }) => {
  await page.goto(`/feedback?${ABOUT}&followed=any`)
  await expect(page.getByRole('heading', { level: 1, name: 'Feedback delivered' })).toBeVisible()
  const row = page.locator('[data-row]').first()
  await expect(row).toBeVisible()
  const says = (await row.textContent()) ?? ''
  await page.keyboard.press('j')
  await page.keyboard.press('Space')
  const peek = page.getByRole('complementary', { name: 'Peek' })
  await expect(peek).toContainText(says)
  await expect(peek.getByRole('region', { name: 'Suggests' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(peek).toHaveCount(0)
  await page.getByLabel('Search feedback').fill('followed:perhaps')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('main')).toContainText('is not a value of followed')
  await page.getByLabel('Search feedback').fill('-severity:info')
  await page.keyboard.press('Enter')
  await row.focus()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/sessions\/sess_\w+\?e=\d+/)
})

test('the legend of a chart hides a series in chart and table, and the address keeps that', {
  tag: '@soak',
}, async ({ page }) => {
  await page.goto(`/analytics/stops?${ABOUT}&range=7d&table=stop_ends`)
  const ends = card(page, 'Stop attempts by verdict')
  await expect(ends.getByRole('columnheader', { name: 'Bypassed' })).toBeVisible()
  await page.goto(`/analytics/stops?${ABOUT}&range=7d`)
  const bypassed = ends.getByRole('button', { name: /^Bypassed/ })
  await expect(bypassed).toHaveAttribute('aria-pressed', 'true')
  await bypassed.click()
  await expect(bypassed).toHaveAttribute('aria-pressed', 'false')
  await expect(page).toHaveURL(/off=stop_ends\.bypassed/)
  await ends.getByRole('button', { name: 'View as table' }).click()
  await expect(ends.getByRole('columnheader', { name: 'Blocked' })).toBeVisible()
  await expect(ends.getByRole('columnheader', { name: 'Bypassed' })).toHaveCount(0)
})

test('charts mark releases, do not compare versions with few sessions, and call followed feedback a correlation', async ({
  page,
}) => {
  await page.goto(`/analytics/denials?${ABOUT}&range=7d`)
  await expect(card(page, 'Denied calls by rule').getByText('v1, v2')).toBeVisible()
  const compared = card(page, 'Compare two versions')
  await expect(compared.getByText('v1, 12 sessions')).toBeVisible()
  await expect(compared.getByText(/Too few sessions to compare: v1 has 12 sessions/)).toBeVisible()
  await page
    .getByRole('navigation', { name: 'Analytics' })
    .getByRole('link', { name: 'Feedback' })
    .click()
  await expect(page).toHaveURL(new RegExp(`/analytics/feedback\\?.*${ABOUT}`))
  const followed = card(page, 'Feedback followed by the suggested action')
  await expect(followed.getByText(/A correlation: the action followed the feedback/)).toBeVisible()
  expect(await followed.textContent()).not.toMatch(/caused by|because of the feedback|led to/)
})

test('a failed chart leaves the page usable and is retried, and a chart without data explains that', {
  tag: '@soak',
}, async ({ page }) => {
  let isDown = true
  await page.route(/analytics\.chart/, async (route) => {
    if (isDown) await route.fulfill({ status: 500, contentType: 'application/json', body: '{}' })
    else await route.fallback()
  })
  await page.goto('/analytics/plans')
  await expect(page.getByText('This chart could not be loaded.').first()).toBeVisible({
    timeout: 30_000,
  })
  await expect(page.getByLabel('Range')).toBeVisible()
  isDown = false
  await page.getByRole('button', { name: 'Try again' }).first().click()
  await expect(
    card(page, 'Sessions started').getByRole('button', { name: 'View as table' }),
  ).toBeVisible()
  await page.goto('/analytics/denials?prompt=nobody%2Fknows')
  await expect(page.getByText('No tool call was denied in this range.').first()).toBeVisible()
})

test('charts and tables have no accessibility violation and do not scroll sideways', {
  tag: '@soak',
}, async ({ page }) => {
  test.slow()
  const paths = [
    `/analytics/denials?${ABOUT}&range=7d`,
    `/analytics/feedback?${ABOUT}&range=7d&table=deliveries`,
    `/analytics/plans?${ABOUT}&range=7d`,
    `/decisions?${ABOUT}`,
    `/feedback?${ABOUT}`,
  ]
  for (const path of selectSample(paths, 2)) {
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.goto(path)
    await expect(page.locator('.recharts-surface, table').first()).toBeVisible()
    expect(await barriersInThemes(page), path).toEqual([])
    await page.setViewportSize(PHONE)
    // Charts get their new width in the next frames.
    const over = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    await expect.poll(over, { message: path }).toBeLessThanOrEqual(0)
  }
})
