// Explanations of blocked stops of each kind, recorded by a real runtime. A check that was not evaluated never appears as passed, the
// reason is visible without scrolling, and the page prints as a report.
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, type Page } from '@playwright/test'
import { createGuardrails, type GuardedSession, type GuardrailsOptions } from '@signalbox/runtime'
import { selectSample } from '@/scripts/soak-sample.mjs'
import { barriersIn, barriersInThemes } from './barriers.ts'
import { collectProblems } from './page-problems.ts'
import { publishFirst, read } from './procedures.ts'
import { ORIGIN, PRODUCT, secrets } from './product.ts'
import { DESK, test } from './test.ts'

const NS = `explained-${Date.now().toString(36)}`

const PLAN = { id: 'plan', type: 'plan' }
const FILE = { id: 'report', type: 'files_exist', files: ['report.md'] }
const TESTED = { id: 'tested', type: 'tool_succeeded', tool: 'test' }
const composite = (id: string, all: boolean, ...checkers: readonly object[]) => ({
  id,
  type: 'composite',
  all_must_pass: all,
  checkers,
})

type Session = Parameters<ReturnType<typeof createGuardrails>['openSession']>[0]

interface Fixture {
  readonly checker: object | null
  readonly session?: () => Session
  readonly judge?: GuardrailsOptions['judge']
  readonly work?: (session: GuardedSession) => Promise<unknown>
  readonly tree: readonly (readonly [checker: string, level: number, state: string])[]
}

const steps = (open: number) => (session: GuardedSession) =>
  session.updatePlan([
    { title: 'Read the code', status: 'done' },
    ...Array.from({ length: open }, (_, i) => ({ title: `Open step ${i + 1}`, status: 'pending' })),
  ])

async function tested(session: GuardedSession): Promise<void> {
  await steps(2)(session)
  const asked = { tool: 'test', args: {}, callId: 'c1' }
  await session.beforeToolCall(asked)
  await session.afterToolCall({ ...asked, outcome: 'success' })
}

const failing = () => Promise.reject(new Error('no model today'))

const FIXTURES = {
  all: {
    checker: composite('done', true, PLAN, FILE, TESTED),
    work: steps(7),
    tree: [
      ['done', 1, 'incomplete'],
      ['plan', 2, 'incomplete'],
      ['report', 2, 'not evaluated'],
      ['tested', 2, 'not evaluated'],
    ],
  },
  any: {
    checker: composite('one', false, PLAN, TESTED, FILE),
    work: tested,
    tree: [
      ['one', 1, 'passed'],
      ['plan', 2, 'incomplete'],
      ['tested', 2, 'passed'],
      ['report', 2, 'not evaluated'],
    ],
  },
  nested: {
    checker: composite('done', true, composite('either', false, TESTED, PLAN), FILE),
    work: steps(4),
    tree: [
      ['done', 1, 'incomplete'],
      ['either', 2, 'incomplete'],
      ['tested', 3, 'incomplete'],
      ['plan', 3, 'incomplete'],
      ['report', 2, 'not evaluated'],
    ],
  },
  vacuous: { checker: PLAN, tree: [['plan', 1, 'nothing to check']] },
  bypassed: {
    checker: composite('done', true, PLAN, FILE),
    session: () => ({ deadlineAt: Date.now() - 4000 }),
    work: steps(2),
    tree: [
      ['done', 1, 'bypassed'],
      ['plan', 2, 'bypassed'],
      ['report', 2, 'bypassed'],
    ],
  },
  unchecked: { checker: null, tree: [] },
  failed: {
    checker: { id: 'good', type: 'llm_judge', criteria: 'Is it good?' },
    judge: { model: { id: 'test/none', judge: failing } },
    tree: [['good', 1, 'error']],
  },
  blind: { checker: FILE, tree: [['report', 1, 'incomplete']] },
} as const satisfies Readonly<Record<string, Fixture>>

type Name = keyof typeof FIXTURES

const stops = new Map<Name, string>()

async function publish(page: Page, key: string, checker: object | null): Promise<void> {
  const place = { ns: NS, key }
  const rules = checker === null ? {} : { task_completion_checker: checker }
  const text = JSON.stringify({ schema_version: 1, ...place, ...rules }, null, 2)
  await publishFirst(page, place, { text })
}

async function record(page: Page, name: Name, dataDir: string): Promise<string> {
  const fixture: Fixture = FIXTURES[name]
  await publish(page, name, fixture.checker)
  const guardrails = createGuardrails({
    url: ORIGIN,
    apiKey: secrets().demoKey,
    prompt: `${NS}/${name}`,
    dataDir,
    ...(fixture.judge === undefined ? {} : { judge: fixture.judge }),
  })
  try {
    await guardrails.ready()
    await expect.poll(() => guardrails.status()?.applied?.applied?.version).toBe(1)
    const session = guardrails.openSession(fixture.session?.())
    await fixture.work?.(session)
    await session.beforeStop({ via: 'turn_end' })
  } finally {
    await guardrails.close(3000)
  }
  return await findStopId(page, name)
}

async function findStopId(page: Page, key: string): Promise<string> {
  const filter = { prompt: { ns: NS, key } }
  let id: string | undefined
  await expect
    .poll(async () => {
      const { rows: found } = await read<{ rows: { id: string }[] }>(page, 'stops.list', {
        filter,
      })
      id = found[0]?.id
      return id
    })
    .toBeDefined()
  return id ?? ''
}

test.beforeAll(async ({ browser }) => {
  test.setTimeout(180_000)
  const page = await browser.newPage({
    baseURL: ORIGIN,
    storageState: PRODUCT.signedIn,
  })
  const folder = mkdtempSync(path.join(os.tmpdir(), 'sbx-explained-'))
  try {
    for (const name of Object.keys(FIXTURES) as Name[]) {
      stops.set(name, await record(page, name, path.join(folder, name)))
    }
  } finally {
    await page.close()
    rmSync(folder, { recursive: true, force: true })
  }
})

const open = async (page: Page, name: Name, query = ''): Promise<void> => {
  await page.goto(`/stops/${stops.get(name)}${query}`)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
}

const recordedTree = (page: Page) => page.getByRole('tree', { name: 'Checks as recorded' })

test('on the page of a stop, reason, verdict and the first step are visible without scrolling', async ({
  page,
}) => {
  const problems = collectProblems(page)
  for (const [width, height] of [
    [1280, 720],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height })
    await open(page, 'all')
    const main = page.getByRole('main')
    const seen = [
      page.getByRole('heading', { level: 1, name: '7 of 8 plan steps are not done' }),
      main.getByText('Stop blocked', { exact: true }).first(),
      main.getByText('Finish or remove “Open step 1”'),
    ]
    for (const part of seen) {
      const box = await part.boundingBox()
      expect(box, `${width}`).not.toBeNull()
      if (box === null) continue
      expect(box.x).toBeGreaterThanOrEqual(0)
      expect(box.y).toBeGreaterThanOrEqual(0)
      expect(box.x + box.width).toBeLessThanOrEqual(width)
      expect(box.y + box.height, `${width}`).toBeLessThanOrEqual(height)
    }
  }
  expect(problems).toEqual([])
})

for (const name of selectSample(['nested', 'any', 'all'] as const, 3)) {
  test(`the tree of checks lists every checker once, with state and cause: ${name}`, async ({
    page,
  }) => {
    await open(page, name)
    const items = recordedTree(page).getByRole('treeitem')
    const shown = await items.evaluateAll((nodes) =>
      nodes.map((node) => [
        node.getAttribute('data-checker'),
        Number(node.getAttribute('aria-level')),
        (node.getAttribute('data-status') ?? '').replaceAll('_', ' '),
      ]),
    )
    expect(shown).toEqual(FIXTURES[name].tree)
    for (const [checker, , state] of FIXTURES[name].tree) {
      const item = items.filter({ has: page.getByText(checker, { exact: true }) }).first()
      await expect(item).toContainText(state)
    }
    const skipped = items.filter({ hasText: 'not evaluated' })
    for (const item of await skipped.all()) {
      await expect(item).toContainText(/Skipped because \w+ decided first/)
    }
  })
}

test('the arrow keys move through the tree of checks', async ({ page }) => {
  await open(page, 'all')
  const items = recordedTree(page).getByRole('treeitem')
  await items.first().focus()
  await page.keyboard.press('ArrowDown')
  await expect(items.nth(1)).toBeFocused()
  await page.keyboard.press('End')
  await expect(items.last()).toBeFocused()
  await expect(items.last().getByRole('link').first()).toHaveAttribute(
    'href',
    /versions\?version=1&path=%2Ftask_completion_checker/,
  )
})

const CLAIMS: Readonly<Partial<Record<Name, { readonly badge: string; readonly says: string }>>> = {
  vacuous: { badge: 'Allowed, nothing to check', says: 'No plan exists' },
  bypassed: { badge: 'Stop bypassed', says: 'What the checks would have returned' },
  unchecked: { badge: 'No checker', says: 'nothing was checked' },
  failed: { badge: 'Error, stop blocked', says: 'A check could not be evaluated' },
  blind: { badge: 'Stop blocked', says: 'not captured by runtime' },
  all: { badge: 'Stop blocked', says: 'not evaluated' },
}

for (const name of selectSample(Object.keys(CLAIMS) as Name[], 3)) {
  test(`a check that was not evaluated is never shown as passed: ${name}`, async ({ page }) => {
    await open(page, name)
    const main = page.getByRole('main')
    const { badge = '', says = '' } = CLAIMS[name] ?? {}
    await expect(main.locator('[data-status]').filter({ hasText: badge }).first()).toBeVisible()
    await expect(main).toContainText(says)
    // The ticks of the verified recomputation and of the checks computed now are counted separately.
    const ticks = main.locator('svg.lucide-circle-check')
    const verified = main.locator('[data-status="verified"] svg.lucide-circle-check')
    const computed = main.getByRole('tree', { name: 'Checks computed now' })
    const replayed = computed.locator('svg.lucide-circle-check')
    const counts = await Promise.all([ticks.count(), verified.count(), replayed.count()])
    expect(counts[0]).toBe(counts[1] + counts[2])
  })
}

test('a stop past its deadline shows the delay, and the results that the checks would have had', async ({
  page,
}) => {
  await open(page, 'bypassed')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(
    /^Allowed without checks: the deadline passed \d/,
  )
  const rest = page.getByRole('region', { name: 'What the checks would have returned' })
  await expect(rest).toContainText('Computed now with v1')
  await expect(rest.getByRole('treeitem').nth(1)).toContainText('2 of 3 plan steps are not done')
})

test('the page of a stop shows the open items that the message omitted, and evaluates the other checks', async ({
  page,
}) => {
  await open(page, 'all')
  const main = page.getByRole('main')
  await expect(main).toContainText('named 3 of 7')
  const left = page.getByRole('list', { name: 'All open items' }).getByRole('listitem')
  const names = Array.from({ length: 7 }, (_, i) => `Open step ${i + 1}`)
  await expect(left).toHaveText(names)
  await page.getByRole('button', { name: 'Evaluate the rest' }).click()
  await expect(page).toHaveURL(/rest=true/)
  const rest = page.getByRole('region', { name: 'Other checks, computed now' })
  await expect(rest).toContainText('Computed now with v1')
  await expect(rest).toContainText('test has not run')
})

test('an explanation prints on at most two pages in the light theme, with tree, message and digest', async ({
  page,
}) => {
  await page.emulateMedia({ colorScheme: 'dark' })
  await open(page, 'all')
  const pdf = await page.pdf({ format: 'A4', preferCSSPageSize: true })
  const pages = pdf.toString('latin1').match(/\/Type\s*\/Page[^s]/g) ?? []
  expect(pages.length).toBeGreaterThan(0)
  expect(pages.length).toBeLessThanOrEqual(2)
  await page.emulateMedia({ media: 'print' })
  await expect(recordedTree(page)).toBeVisible()
  await expect(page.getByText(/You have 7 incomplete task/)).toBeVisible()
  const footer = page.getByText(/Digest sha256:[0-9a-f]{64} matches the stored record/)
  await expect(footer).toBeVisible()
  await expect(page.getByText(/generated .* UTC/)).toBeVisible()
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeHidden()
  const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  expect(paper).toBe('rgb(255, 255, 255)')
})

test('stops are grouped by reason, a group opens, and keys move from one of its stops to the next', async ({
  page,
}) => {
  await page.goto('/stops?verdict=blocked&by=config')
  const row = page.getByRole('row').filter({ hasText: `${NS}/all` })
  await expect(row).toContainText('Plan steps are not done')
  await row.getByRole('button', { name: /^Open the group/ }).click()
  await expect(page).toHaveURL(/open=/)
  await expect(page.getByRole('gridcell', { name: 'progressing' }).first()).toBeVisible()
  expect(await barriersIn(page)).toEqual([])
  await open(page, 'nested')
  await page.keyboard.press('ControlOrMeta+k')
  const palette = page.getByRole('dialog', { name: 'Search or jump' })
  for (const name of ['Export: Markdown', 'Test a change…', 'Create alert…', 'Copy link']) {
    await expect(palette.getByRole('option', { name, exact: true })).toBeVisible()
  }
  await page.keyboard.type('Evaluate the rest')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/rest=true/)
  // A closing palette still receives keys.
  await expect(palette).toHaveCount(0)
  await page.keyboard.press('j')
  await expect(page).toHaveURL(new RegExp(`/stops/${stops.get('all')}`))
  // The address changes before the page, whose keys know its neighbors.
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('7 of 8 plan steps are not done')
  await page.keyboard.press('k')
  await expect(page).toHaveURL(new RegExp(`/stops/${stops.get('nested')}`))
  // A second key that is pressed before the page of the first one has loaded continues from that page.
  const olderThan = async (stopId: string): Promise<string> => {
    const { beside } = await read<{ readonly beside: { readonly older: string | null } }>(
      ...([page, 'stops.explanation', { stopId }] as const),
    )
    return beside.older ?? ''
  }
  const second = await olderThan(await olderThan(stops.get('blind') ?? ''))
  await open(page, 'blind')
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await expect(page).toHaveURL(new RegExp(`/stops/${second}$`))
})

test('the pages of stops have no accessibility violation and fit the screen', {
  tag: '@soak',
}, async ({ page }) => {
  const shown = [
    '/stops',
    `/stops/${stops.get('all')}?rest=true`,
    `/stops/${stops.get('bypassed')}`,
  ]
  for (const address of shown) {
    await page.setViewportSize(DESK)
    await page.goto(address)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    expect(await barriersInThemes(page), address).toEqual([])
    for (const [width, height] of [
      [1280, 800],
      [390, 844],
    ] as const) {
      await page.setViewportSize({ width, height })
      const over = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      await expect.poll(over, { message: address }).toBeLessThanOrEqual(0)
    }
  }
})
