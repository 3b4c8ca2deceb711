// The page of a long session: links open their events, an address restores a view, the list scrolls without growing, and search counts
// correctly and keeps the reader's position.
import { expect, type Page } from '@playwright/test'
import { celExpressions } from '@signalbox/core/expression'
import { createGuardrails } from '@signalbox/runtime'
import { sendLines, tellStory } from '@/bench/story-session.mjs'
import { IS_SOAK, selectSample } from '@/scripts/soak-sample.mjs'
import { barriersInThemes, smallTargets } from './barriers.ts'
import { EVENTS } from './long-session.ts'
import { collectProblems } from './page-problems.ts'
import { publishFirst } from './procedures.ts'
import { ORIGIN, PRODUCT, secrets } from './product.ts'
import { DESK, test } from './test.ts'
import { scriptBytes } from './weight.ts'

/** Compressed bytes: 250,000, and the chunk that evaluates conditions, which the state at an event needs. */
const MOST_SCRIPTS = 250_000
/** Number of links into the long session, in addition to one for every second type of event. A soak opens all types and more links. */
const PERMALINKS = IS_SOAK ? 200 : 2

interface Told {
  readonly id: string
  readonly lines: readonly string[]
}

let story: Told
let short: Told
let otherwise: Told
/** Without an end, so its page also loads the control and the forecast. A lost session loads the same, without the live parts. Its config is not stored here. */
let open: Told

test.describe.configure({ mode: 'serial' })

test.beforeAll(async () => {
  test.setTimeout(180_000)
  const target = { url: ORIGIN, key: secrets().demoKey }
  // Generated before anything is sent, because that blocks this process for longer than an idle connection is kept.
  story = await tellStory({ events: EVENTS })
  short = await tellStory({ events: 600 })
  otherwise = await tellStory({ events: 600, seed: 5 })
  open = await tellStory({ events: 600, seed: 7 })
  for (const { lines } of [story, short, otherwise]) await sendLines(target, [...lines])
  await sendLines(target, open.lines.slice(0, -1))
})

const selectedRow = (page: Page) => page.locator('[role=row][aria-selected=true]')

async function wholeSession(page: Page): Promise<void> {
  await expect(page.locator('[data-loaded=true]')).toHaveCount(1)
}

const shownSeqs = (page: Page) =>
  page
    .locator('[role=row][data-seq]')
    .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-seq')))

test('a link to any of many events selects it and scrolls it into view', {
  tag: '@soak',
}, async ({ page }) => {
  test.setTimeout(600_000)
  const problems = collectProblems(page)
  const kinds = new Map<string, readonly [id: string, seq: number]>()
  // The short session replaces the long one for every type that it has, because its page loads fast.
  for (const { id, lines } of [story, short]) {
    for (const line of lines) {
      const { seq, type } = JSON.parse(line)
      kinds.set(type, [id, seq])
    }
  }
  const spread = Array.from(
    { length: PERMALINKS },
    (_, n) => [story.id, Math.ceil(((n + 1) * story.lines.length) / (PERMALINKS + 1))] as const,
  )
  const wanted = [...selectSample([...kinds.values()], 2), ...spread]
  const times: number[] = []
  for (const [id, seq] of wanted) {
    const from = performance.now()
    await page.goto(`/e/evt_${id.replace(/^sess_/, '')}_${seq}`)
    await expect(selectedRow(page)).toBeInViewport()
    times.push(performance.now() - from)
    expect(page.url()).toContain(`e=${seq}`)
    await expect(page.getByRole('slider', { name: 'Position in session' })).toHaveAttribute(
      'aria-valuetext',
      /^event /,
    )
  }
  times.sort((a, b) => a - b)
  const at = (share: number) => Math.round(times[Math.floor(times.length * share)] ?? 0)
  console.log(`permalinks of ${wanted.length} events: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms`)
  expect(problems).toEqual([])
})

test('a session with conditions in its config fetches at most 250,000 bytes of JavaScript before its page is used', async ({
  context,
}) => {
  const page = await context.newPage()
  for (const { id } of [short, story, open]) {
    for (const query of ['', '?e=20']) {
      await page.goto(`/sessions/${id}${query}`)
      await wholeSession(page)
      // Loads after the event is selected.
      if (query !== '')
        await expect(page.getByRole('button', { name: /^Annotate #/ })).toBeVisible()
      expect.soft(await scriptBytes(page), `${id}${query}`).toBeLessThanOrEqual(MOST_SCRIPTS)
    }
  }
})

test('the server evaluates conditions like the runtime, so a session with conditions is verified', async ({
  page,
}) => {
  const place = { ns: `conditions-${Date.now().toString(36)}`, key: 'main' }
  const rule = { id: 'no-force', type: 'expression', tools: ['bash'] } as const
  const policies = [{ ...rule, deny_when: "args.command.contains('--force')" }]
  const config = { schema_version: 1, ...place, policies } as const
  await publishFirst(page, place, { text: JSON.stringify(config) })
  const lines: string[] = []
  const guardrails = createGuardrails({
    config,
    expressions: celExpressions(),
    onEvent: (line) => lines.push(line),
  })
  const session = guardrails.openSession()
  const call = { tool: 'bash', args: { command: 'git push' }, callId: 'first' }
  expect((await session.beforeToolCall(call)).allowed).toBe(true)
  await session.afterToolCall({ ...call, outcome: 'success', output: '', durationMs: 3 })
  const forced = { tool: 'bash', args: { command: 'git push --force' }, callId: 'forced' }
  expect((await session.beforeToolCall(forced)).allowed).toBe(false)
  await session.end({ reason: 'completed' })
  await guardrails.close()
  await sendLines({ url: ORIGIN, key: secrets().demoKey }, lines)
  await page.goto(`/sessions/${session.id}`)
  await expect(page.getByText('Verified', { exact: true })).toBeVisible()
})

test('an event of a session whose config is stored fetches at most 250,000 bytes of JavaScript, running and ended, with the forecast of a stop', async ({
  page,
  context,
}) => {
  const place = { ns: `forecast-${Date.now().toString(36)}`, key: 'main' }
  const config = { schema_version: 1, ...place } as const
  await publishFirst(page, place, { text: JSON.stringify(config) })
  const lines: string[] = []
  const guardrails = createGuardrails({ config, onEvent: (line) => lines.push(line) })
  const session = guardrails.openSession()
  await session.beforeToolCall({ tool: 'bash', args: {}, callId: 'first' })
  await session.end({ reason: 'completed' })
  await guardrails.close()
  for (const [status, part] of [
    ['Running', lines.slice(0, -1)],
    ['Ended', lines.slice(-1)],
  ] as const) {
    await sendLines({ url: ORIGIN, key: secrets().demoKey }, part)
    // The page of the fixture counts as used, so it also fetches popups.
    const unused = await context.newPage()
    await unused.goto(`/sessions/${session.id}?e=2`)
    await expect(unused.locator('h1 ~ [data-status]').first()).toHaveText(status)
    await expect(unused.getByText('Remaining to stop')).toBeVisible()
    await expect(unused.getByRole('button', { name: /^Annotate #/ })).toBeVisible()
    expect.soft(await scriptBytes(unused), status).toBeLessThanOrEqual(MOST_SCRIPTS)
  }
})

test('a slow page keeps everything that was typed and selected before it was ready', {
  tag: '@soak',
}, async ({ page }) => {
  await page.goto(`/sessions/${story.id}`)
  await wholeSession(page)
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  const box = page.getByRole('searchbox', { name: 'Search this session' })
  const text = 'tool:(deploy OR build)'
  let isOnly = false
  // The time between two keys is close to that of a change of the address on this page.
  for (const delay of selectSample([62, 50, 74, 86], 2)) {
    await box.fill('')
    await page.keyboard.type(text, { delay })
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await page.keyboard.press('o')
    isOnly = !isOnly
    await expect(page).toHaveURL(
      ({ searchParams }) => searchParams.get('q') === text && searchParams.has('only') === isOnly,
    )
    await expect(box).toHaveValue(text)
  }
})

test('an address restores filter, event, tabs and zoom after a reload, Back, and for another user', async ({
  page,
  browser,
}) => {
  await page.goto(`/sessions/${story.id}`)
  await wholeSession(page)
  await page.keyboard.press('/')
  await page.keyboard.type('tool:(deploy OR build)')
  await expect(page.locator('#search-result')).toHaveText(/^[\d,]+ matches$/)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/[?&]e=\d+/)
  await page.keyboard.press('Escape')
  await page.keyboard.press('o')
  await expect(page).toHaveURL(/only=1/)
  await page.keyboard.press('z')
  await expect(page).toHaveURL(/z=\d+-\d+/)
  await page.keyboard.press('i')
  await expect(page).toHaveURL(/pane=event/)
  await page.getByRole('button', { name: /^Decisions/ }).click()
  await expect(page).toHaveURL(/tab=decisions/)
  await expect(selectedRow(page)).toBeInViewport()
  const seen = async (where: Page) => {
    await wholeSession(where)
    await expect(selectedRow(where)).toBeInViewport()
    await expect(where.locator('#search-result')).toHaveText(/^\d[\d,]* of [\d,]+ matches$/)
    return withoutIds({
      rows: await selectedRow(where).textContent(),
      count: await where.getByRole('grid', { name: 'Events' }).getAttribute('aria-rowcount'),
      found: await where.locator('#search-result').textContent(),
      strip: await where.locator('.density-strip svg').innerHTML(),
      pane: await where.getByRole('tab', { name: 'Event' }).getAttribute('aria-selected'),
    })
  }
  /** Waits for the wanted address, or without one until it is the same twice, because an address changes before its content is rendered. */
  const shows = async (where: Page, wanted?: object) => {
    let last: object | undefined
    const compared = async () => {
      const before = wanted ?? last
      last = await seen(where)
      expect(last).toEqual(before)
    }
    await expect(compared).toPass({ timeout: 20_000, intervals: [500] })
    return last
  }
  const before = await shows(page)
  const address = page.url()
  await page.reload()
  await shows(page, before)
  await page.keyboard.press('j')
  await expect(page).not.toHaveURL(address)
  await page.goBack()
  await expect(page).toHaveURL(address)
  await shows(page, before)
  const context = await browser.newContext({
    storageState: PRODUCT.signedIn,
    viewport: DESK,
  })
  const other = await context.newPage()
  await other.goto(address)
  await shows(other, before)
  await context.close()
})

/** Removes the id of the strip's pattern, which differs per render. */
function withoutIds<Seen extends { readonly strip: string }>(seen: Seen): Seen {
  return { ...seen, strip: seen.strip.replace(/id="[^"]*"|url\([^)]*\)/g, '') }
}

test('all rows of a long session scroll with few elements, and no row jumps', {
  tag: '@soak',
}, async ({ page }) => {
  await page.goto(`/sessions/${story.id}?every=true`)
  const rows = () => page.getByRole('grid', { name: 'Events' }).getAttribute('aria-rowcount')
  await expect.poll(async () => Number(await rows())).toBeGreaterThan(EVENTS)
  for (const step of [120, EVENTS / 12.5]) {
    const seen = await page.evaluate(async (perFrame) => {
      const list = document.querySelector('.event-list')
      if (list === null) throw new Error('There is no list.')
      list.scrollTop = 0
      const frames: number[] = []
      let most = 0
      let last = performance.now()
      for (let frame = 0; frame < 200; frame += 1) {
        list.scrollTop += perFrame
        await new Promise(requestAnimationFrame)
        const now = performance.now()
        frames.push(now - last)
        last = now
        most = Math.max(most, document.querySelectorAll('*').length)
      }
      frames.sort((a, b) => a - b)
      return { p50: frames[100], p95: frames[190], longest: frames[199], most, top: list.scrollTop }
    }, step)
    console.log(`scrolling ${step} px a frame: ${JSON.stringify(seen)}`)
    expect(seen.most).toBeLessThan(1_500)
    expect(seen.top).toBe(step * 200)
    const rowPx = 28
    const first = Math.floor(seen.top / rowPx)
    await expect
      .poll(async () => page.locator(`[role=row][aria-rowindex="${first + 2}"]`).count())
      .toBe(1)
  }
})

test('a search in a session counts matches exactly, steps through them, and keeps the follow state', async ({
  page,
}) => {
  await page.goto(`/sessions/${story.id}`)
  await wholeSession(page)
  const follow = page.locator('[data-follow]')
  const before = await follow.getAttribute('data-follow')
  const holding = story.lines.filter((line) => line.includes('RepeatedFailure')).length
  expect(holding).toBeGreaterThan(10)
  await page.keyboard.press('/')
  const from = Date.now()
  await page.keyboard.type('RepeatedFailure')
  await expect(page.locator('#search-result')).toHaveText(
    `${holding.toLocaleString('en-GB')} matches`,
  )
  console.log(`search: counted ${Date.now() - from} ms after the first key`)
  await page.keyboard.press('Escape')
  await page.keyboard.press('n')
  await expect(page.locator('[role=row][aria-selected=true][data-match]')).toBeInViewport()
  await expect(page.locator('#search-result')).toHaveText(/^1 of /)
  await page.keyboard.press('n')
  await expect(page.locator('#search-result')).toHaveText(/^2 of /)
  await page.keyboard.press('Shift+N')
  await expect(page.locator('#search-result')).toHaveText(/^1 of /)
  expect(await follow.getAttribute('data-follow')).toBe(before)

  await page.getByLabel('Search this session').fill('color:red')
  await expect(page.getByRole('alert').filter({ hasText: 'is not a field' })).toBeVisible()
  // The server finds text that is only in a payload: no row shows the output of a call.
  await page.getByLabel('Search this session').fill('"write_file is done" seq:<400')
  const told = story.lines.filter(
    (line) => line.includes('write_file is done') && JSON.parse(line).seq <= 400,
  ).length
  await expect(page.locator('#search-result')).toHaveText(`${told} matches`)

  // The event of the previous search is still viewed, but is not a match.
  const hidden = page.getByText('The viewed event is not in this list.')
  await expect(hidden).toHaveCount(0)
  await page.getByRole('button', { name: 'Only matches' }).click()
  await expect(hidden).toBeVisible()
})

test('Enter pressed before a search in a session ran selects its first match', {
  tag: '@soak',
}, async ({ page }) => {
  await page.goto(`/sessions/${story.id}`)
  await wholeSession(page)
  // The key arrives before any row has been searched, which happens on a slow machine.
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: 6 })
  await page.keyboard.press('/')
  await page.keyboard.type('tool:deploy')
  await page.keyboard.press('Enter')
  await expect(page.locator('#search-result')).toHaveText(/^1 of [\d,]+ matches$/)
  await expect(page.locator('[role=row][aria-selected=true][data-match]')).toContainText('deploy')
})

test('Enter pressed before the server has searched the payloads selects the first match that it finds', async ({
  page,
}) => {
  await page.goto(`/sessions/${short.id}`)
  await wholeSession(page)
  let release = (): void => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(/sessions\.search/, async (route) => {
    await released
    await route.continue()
  })
  await page.keyboard.press('/')
  // Only payloads contain this text, and no row shows it.
  await page.keyboard.type('"write_file is done"')
  await page.keyboard.press('Enter')
  await expect(page.locator('#search-result')).toHaveText('0 matches …')
  release()
  await expect(page.locator('#search-result')).toHaveText(/^1 of \d+ matches$/)
  await expect(page.locator('[role=row][aria-selected=true][data-match]')).toBeInViewport()
})

const KEYS: Readonly<Record<string, readonly string[]>> = {
  'next event': ['j', '↓'],
  'previous event': ['k', '↑'],
  'next state change': [']', 'l'],
  'previous state change': ['[', 'h'],
  'next verdict': ['}', 'Shift+L'],
  'previous verdict': ['{', 'Shift+H'],
  'next warning': ['w'],
  'previous warning': ['Shift+W'],
  'search this session': ['/'],
  'next match': ['n'],
  'previous match': ['Shift+N'],
  'only matches': ['o'],
  'pause or follow updates': ['p'],
  'return to now': ['End'],
  'state or event': ['i'],
  'why: open the explanation': ['y'],
  'zoom the strip to the event': ['z'],
  'show the whole session in the strip': ['Shift+Z'],
  'annotate the event, or the session': ['a'],
  'mark the decision, or the session, as bad': ['!'],
  'copy a link to the event, or to the session': ['c'],
  'copy a link to the event, or to the session as Markdown': ['Alt+C'],
  'return to now, then clear the search': ['Esc'],
}

test('the shortcut sheet lists exactly the keys that the session page binds', async ({ page }) => {
  await page.goto(`/sessions/${short.id}`)
  await wholeSession(page)
  await page.keyboard.press('Shift+?')
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  const own = sheet.getByRole('region', { name: 'session' })
  await expect(own.getByText('next verdict').first()).toBeVisible()
  const listed = await own.getByRole('listitem').allTextContents()
  const bound = Object.entries(KEYS).map(([does, keys]) => `${does}${keys.join('')}`)
  expect(listed.toSorted()).toEqual(bound.toSorted())
  await page.keyboard.press('Escape')
  await expect(sheet).toHaveCount(0)
  await page.keyboard.press('Shift+}')
  await expect(selectedRow(page)).toHaveAttribute('data-status', /denied|blocked/)
})

test('each tab of a session shows one type of event and links back to it', {
  tag: '@soak',
}, async ({ page }) => {
  await page.goto(`/sessions/${short.id}?tab=decisions`)
  await expect(page.getByRole('grid', { name: 'Events' })).toBeVisible()
  await wholeSession(page)
  expect((await shownSeqs(page)).length).toBeGreaterThan(10)
  await page.goto(`/sessions/${short.id}?tab=plan`)
  await expect(page.getByRole('list', { name: 'Plans, newest first' })).toContainText(
    'in progress → done',
  )
  await page.goto(`/sessions/${short.id}?tab=files`)
  const created = page.getByRole('row').filter({ hasText: 'CHANGELOG.md' })
  await expect(created).toContainText('created')
  await created.getByRole('button').first().click()
  await expect(page).not.toHaveURL(/tab=/)
  await expect(selectedRow(page)).toBeInViewport()
  await page.goto(`/sessions/${short.id}?tab=raw`)
  await expect(page.getByRole('option').first()).toContainText('"type":"session.started"')
})

test('two sessions are compared side by side, with their first difference named', {
  tag: '@soak',
}, async ({ page }) => {
  await page.goto(`/sessions/compare?a=${short.id}&b=${otherwise.id}`)
  await expect(page.getByText('is the first difference')).toBeVisible()
  await page.keyboard.press('n')
  await expect(page.locator('[data-pair][aria-current=true]')).toBeInViewport()
  await expect(page.locator('[data-pair][aria-current=true]')).not.toHaveAttribute(
    'data-pair',
    'same',
  )
  await page.setViewportSize({ width: 390, height: 844 })
  await expect.poll(() => countOverlaps(page), { message: 'rows overlap' }).toBe(0)
  await page.goto(`/sessions/compare?a=${short.id}&b=${short.id}`)
  await expect(page.getByText('are the same, with the same decisions')).toBeVisible()
})

function countOverlaps(page: Page): Promise<number> {
  return page.locator('[data-pair]').evaluateAll((rows) => {
    const boxes = rows.map((row) => row.getBoundingClientRect())
    return boxes.filter(({ bottom }, index) => bottom > (boxes[index + 1]?.top ?? bottom) + 1)
      .length
  })
}

function findSeq(
  { lines }: Told,
  isIt: (event: { readonly type: string; readonly data: Record<string, unknown> }) => boolean,
): number {
  const found = lines.map((line) => JSON.parse(line)).find(isIt)
  return found?.seq ?? 0
}

const SIZES = [
  [1280, 800],
  [390, 844],
] as const

test('the Event pane describes each event type, with the record behind Raw', {
  tag: '@soak',
}, async ({ page }) => {
  const problems = collectProblems(page)
  const open = (seq: number) => page.goto(`/sessions/${short.id}?e=${seq}&pane=event`)
  const pane = page.getByRole('region', { name: 'Details' })
  const fact = (name: string) => pane.locator(`[data-fact="${name}"]`)
  await open(
    findSeq(short, ({ type, data }) => type === 'tool.decided' && data['decision'] === 'denied'),
  )
  await expect(fact('Parameters').locator('[data-field]').first()).toBeVisible()
  await expect(fact('Rules')).toContainText('Denies')
  await expect(fact('Message to the agent')).toBeVisible()
  await expect(pane.locator('[data-event=timing]')).toContainText('Under config')
  const raw = pane.getByText('"call_id"').first()
  await expect(raw).toBeHidden()
  expect(await barriersInThemes(page)).toEqual([])
  await pane.getByText('Raw', { exact: true }).click()
  await expect(raw).toBeVisible()
  await open(findSeq(short, ({ type }) => type === 'feedback.delivered'))
  await expect(fact('Trigger')).toBeVisible()
  await expect(fact('Delivered')).toBeVisible()
  await open(findSeq(short, ({ type }) => type === 'stop.decided'))
  await expect(fact('Checks').getByRole('treeitem').first()).toBeVisible()
  await expect(pane.getByRole('link', { name: 'Why ›' })).toBeVisible()
  const first = findSeq(short, ({ type }) => type === 'plan.updated')
  await open(
    findSeq({ ...short, lines: short.lines.slice(first) }, ({ type }) => type === 'plan.updated'),
  )
  await expect(fact('Plan').getByRole('list', { name: 'Changed steps' })).toBeVisible()
  await open(1)
  await expect(fact('Environment')).toBeVisible()
  expect(problems).toEqual([])
})

test('a session prints as a bounded report, light, with verdicts, plan and digest', {
  tag: '@soak',
}, async ({ page }) => {
  const problems = collectProblems(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.goto(`/sessions/${story.id}`)
  await page.getByRole('button', { name: 'Export the session' }).click()
  await page.getByRole('menuitem', { name: 'Report, to print or save as PDF' }).click()
  await expect(page).toHaveURL(/\/report$/)
  const bound = page.getByText(/^first 500 of [\d,]+, as captured$/)
  await expect(bound).toBeVisible()
  for (const [width, height] of SIZES) {
    await page.setViewportSize({ width, height })
    const sideways = await page.evaluate(
      () => document.documentElement.scrollWidth - window.innerWidth,
    )
    expect(sideways).toBeLessThanOrEqual(0)
  }
  expect(await smallTargets(page)).toEqual([])
  await page.setViewportSize(DESK)
  await page.goto(`/sessions/${short.id}/report`)
  await expect(page.locator('[data-verdict=denied]').first()).toBeVisible()
  expect(await barriersInThemes(page)).toEqual([])
  const options = { format: 'A4', preferCSSPageSize: true } as const
  const countPages = async (): Promise<number> => {
    const pdf = await page.pdf(options)
    return (pdf.toString('latin1').match(/\/Type\s*\/Page[^s]/g) ?? []).length
  }
  expect(await countPages()).toBeLessThanOrEqual(4)
  await page.emulateMedia({ media: 'print' })
  await expect(page.getByText(/Digest sha256:[0-9a-f]{64} of event #\d+/)).toBeVisible()
  await expect(page.getByText(/sessions\/sess_\w+\/report · generated .* UTC/)).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Plan at the end' })).toBeVisible()
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeHidden()
  await expect(page.getByRole('button', { name: 'Export the report' })).toBeHidden()
  const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  expect(paper).toBe('rgb(255, 255, 255)')
  await page.goto(`/sessions/${story.id}/report`)
  await expect(bound).toBeVisible()
  const long = await countPages()
  expect(long).toBeGreaterThan(4)
  expect(long).toBeLessThanOrEqual(40)
  await page.goto(`/sessions/${short.id}`)
  await wholeSession(page)
  await expect(page.getByRole('grid', { name: 'Events' })).toBeHidden()
  await expect(page.getByRole('link', { name: `/sessions/${short.id}/report` })).toBeVisible()
  expect(problems).toEqual([])
})
