// A growing session: nothing moves while the user reads, the newest event stays in view while the user follows, and a cut connection or a
// restarted server loses nothing and shows nothing twice.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, type Page } from '@playwright/test'
import { freePort, ProcessGroup, readSecrets, webPid } from '@/scripts/product-process.ts'
import { GrowingSession } from './growing-session.ts'
import { collectProblems } from './page-problems.ts'
import { ADMIN, ORIGIN, secrets } from './product.ts'
import { firstPage } from './start-product.ts'
import { test } from './test.ts'

const open: GrowingSession[] = []

function growing(): GrowingSession {
  const session = new GrowingSession({ url: ORIGIN, key: secrets().demoKey })
  open.push(session)
  return session
}

// Sessions that never end would appear as running in other stories.
test.afterAll(async () => {
  await Promise.all(open.map((session) => session.end()))
})

const grid = (page: Page) => page.getByRole('grid', { name: 'Events' })
const locateRow = (page: Page, seq: number) => page.locator(`[data-seq="${seq}"]`)

test('two thousand new events move nothing while the user reads, and wait behind a pill', async ({
  page,
}) => {
  const problems = collectProblems(page)
  const session = growing()
  await session.grow(400)
  await page.goto(`/sessions/${session.id}?e=200`)
  const chosen = locateRow(page, 200)
  await expect(chosen).toHaveAttribute('aria-selected', 'true')
  await expect(page.locator('[data-follow="paused"]')).toBeVisible()
  await expect(chosen).toBeInViewport()
  const place = async () => ({
    top: await grid(page).evaluate((element) => element.scrollTop),
    y: (await chosen.boundingBox())?.y,
  })
  const before = await place()
  await session.grow(2_000)
  await expect(page.getByRole('button', { name: '2,000 new events' })).toBeVisible()
  expect(await place()).toEqual(before)
  await page.keyboard.press('i')
  await expect(page.locator('[data-follow="paused"]')).toBeVisible()
  expect(await place()).toEqual(before)

  await page.getByRole('button', { name: '2,000 new events' }).click()
  await expect(locateRow(page, session.seq)).toBeInViewport()
  await expect(page.locator('[data-follow="following"]')).toBeVisible()
  // The pause is part of the address, so that a link to it opens a page that does not move.
  await page.keyboard.press('ControlOrMeta+k')
  const palette = page.getByRole('dialog', { name: 'Search or jump' })
  for (const name of ['Pause updates', 'Annotate…', 'Copy link', 'Export: Events as CSV']) {
    await expect(palette.getByRole('option', { name, exact: true })).toBeVisible()
  }
  await expect(palette.getByRole('option', { name: /^Only matches/ })).toBeDisabled()
  await page.keyboard.press('Escape')
  // A closing palette still receives keys.
  await expect(palette).toHaveCount(0)
  await page.keyboard.press('p')
  await expect(page).toHaveURL(/paused=1/)
  await page.reload()
  await expect(page.locator('[data-follow="paused"]')).toBeVisible()
  expect(problems).toEqual([])
})

interface Painted {
  readonly lags: readonly number[]
  readonly frames: readonly number[]
}

/** Runs in the page. Records at every frame which notes are new, and the time since their creation. */
function watchPainting(): void {
  const [lags, frames]: [number[], number[]] = [[], []]
  const seen = new Set<string>()
  let before = performance.now()
  const look = (now: number): void => {
    frames.push(now - before)
    before = now
    for (const row of document.querySelectorAll('[data-seq]')) {
      const seq = row.getAttribute('data-seq') ?? ''
      const sent = /sent at (\d+)/.exec(row.textContent ?? '')?.[1]
      if (sent === undefined || seen.has(seq)) continue
      seen.add(seq)
      lags.push(Date.now() - Number(sent))
    }
    requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
  Object.assign(window, { painted: { lags, frames } })
}

function share(values: readonly number[], part: number): string {
  const sorted = values.toSorted((a, b) => a - b)
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]
  return value === undefined ? '–' : `${Math.round(value)} ms`
}

test('following a session shows the newest of fifty events a second', { tag: '@soak' }, async ({
  page,
}) => {
  const session = growing()
  await session.grow(100)
  await page.goto(`/sessions/${session.id}`)
  await expect(page.locator('[data-follow="following"]')).toBeVisible()
  await expect(locateRow(page, session.seq)).toBeInViewport()
  await page.evaluate(watchPainting)
  const stop = session.growSteadily(50)
  await expect.poll(() => session.seq, { timeout: 60_000 }).toBeGreaterThan(300)
  await stop()
  await expect(locateRow(page, session.seq)).toBeInViewport()
  await expect(page.locator('[data-follow="following"]')).toBeVisible()
  const { lags, frames } = await page.evaluate(
    () => (window as unknown as { readonly painted: Painted }).painted,
  )
  // Events from before the watch do not count.
  const news = lags.slice(-200)
  expect(news.length).toBeGreaterThan(100)
  console.log(
    `event to paint at 50/s: p50 ${share(news, 0.5)}, p99 ${share(news, 0.99)}; frames p95 ${share(frames, 0.95)}`,
  )
})

async function shownSeqs(page: Page): Promise<readonly number[]> {
  return await grid(page).evaluate(async (element) => {
    const shown: number[] = []
    const known = new Set<number>()
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    element.scrollTop = 0
    for (;;) {
      await frame()
      await frame()
      const rows = [...element.querySelectorAll('[data-seq]')].map((row) =>
        Number(row.getAttribute('data-seq')),
      )
      if (new Set(rows).size !== rows.length) return rows
      for (const seq of rows.toSorted((a, b) => a - b)) {
        if (!known.has(seq)) shown.push(seq)
        known.add(seq)
      }
      if (element.scrollTop + element.clientHeight >= element.scrollHeight - 1) return shown
      element.scrollTop += element.clientHeight / 2
    }
  })
}

const upTo = (seq: number): readonly number[] => Array.from({ length: seq }, (_, i) => i + 1)

test('a list shows sessions that began while its connection was cut', { tag: '@soak' }, async ({
  page,
}) => {
  // More rows than a page of the list, so that the next read has many ids.
  const many = Array.from({ length: 120 }, () => growing())
  await Promise.all(many.map((session) => session.end()))
  const known = growing()
  await known.grow(1)
  await page.goto('/sessions?status=all')
  const line = page.locator('nav [data-connection]').first()
  await expect(line).toHaveAttribute('data-connection', 'live')
  await expect(page.locator(`main a[href^="/sessions/${known.id}"]`).first()).toBeVisible()
  await page.context().setOffline(true)
  await expect(line).toHaveAttribute('data-connection', 'offline')
  const told = page.getByRole('main').getByRole('alert').filter({ hasText: 'Not connected since' })
  await expect(told).toBeVisible({ timeout: 10_000 })
  expect(await told.evaluate((banner) => banner.previousElementSibling?.tagName)).toBe('HEADER')
  const session = growing()
  await session.grow(5)
  await session.end()
  // The first read after a cut comes too early.
  let looks = 0
  await page.route(/sessions\.list/, (route) => {
    looks += 1
    return looks === 1 ? route.abort() : route.fallback()
  })
  await page.context().setOffline(false)
  await expect(page.getByRole('button', { name: /\d+ new sessions?/ })).toBeVisible()
  await expect(told).toHaveCount(0)
  await expect.poll(() => looks).toBeGreaterThan(1)
})

test('refusals that arrive while their list is read wait above the list and move nothing', async ({
  page,
}) => {
  const session = growing()
  await session.refuse()
  for (const [path, noun] of [
    [`/decisions?q=session:${session.id}`, 'denied call'],
    [`/stops?by=all&q=session:${session.id}`, 'stop'],
  ] as const) {
    await page.goto(path)
    const rows = page.locator('main [data-row]')
    await expect(rows.first()).toBeVisible()
    const shown = await rows.count()
    const place = await rows.first().boundingBox()
    await expect(page.locator('nav [data-connection]').first()).toHaveAttribute(
      'data-connection',
      'live',
    )
    await session.refuse()
    const news = page.getByRole('button', { name: `1 new ${noun} · show` })
    await expect(news).toBeVisible()
    await expect(rows).toHaveCount(shown)
    expect(await rows.first().boundingBox()).toEqual(place)
    const offer = await news.boundingBox()
    const head = await page.locator('main').getByRole('columnheader').first().boundingBox()
    expect(
      (offer?.y ?? 0) + (offer?.height ?? 0),
      'The offer covers the header.',
    ).toBeLessThanOrEqual(head?.y ?? 0)
    await page.keyboard.press('r')
    await expect(rows).toHaveCount(shown + 1)
    await expect(news).toBeHidden()
  }
})

test('the session filter supports status:, and an invalid value shows an error and an empty list', {
  tag: '@soak',
}, async ({ page }) => {
  const [running, ended] = [growing(), growing()]
  await running.grow(1)
  await ended.end()
  const listed = (id: string) => page.locator(`main [data-id="${id}"]`)
  await page.goto('/sessions?q=status:ended')
  await expect(listed(ended.id)).toBeVisible()
  await expect(listed(running.id)).toBeHidden()
  const text = page.getByLabel('Search sessions')
  await text.fill('-status:ended live/growing')
  await expect(listed(running.id)).toBeVisible()
  await expect(listed(ended.id)).toBeHidden()
  await text.fill('status:asleep')
  await expect(page.getByRole('alert').filter({ hasText: 'not a value of status' })).toBeVisible()
  await expect(page.getByText('No rows are listed, because the filter is invalid.')).toBeVisible()
  await expect(listed(running.id)).toBeHidden()
})

test('a cut connection and a killed server are reported, and lose no event of a watched session', {
  tag: '@soak',
}, async ({ page }) => {
  test.setTimeout(240_000)
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-live-'))
  const processes = new ProcessGroup()
  try {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    let product = await processes.startProduct(folder, port)
    const { setupToken } = JSON.parse(
      fs.readFileSync(path.join(folder, 'secrets.json'), 'utf8'),
    ) as { readonly setupToken: string }
    await page.goto(`${url}/setup?token=${setupToken}`)
    await page.getByLabel('Name').fill(ADMIN.name)
    await page.getByLabel('Email').fill(ADMIN.email)
    await page.getByLabel('Password').fill(ADMIN.password)
    await page.getByRole('button', { name: 'Create the administrator' }).click()
    await expect(firstPage(page)).toBeVisible({ timeout: 30_000 })

    const session = new GrowingSession({ url, key: readSecrets(folder).demoKey })
    await session.grow(50)
    await page.goto(`${url}/sessions/${session.id}`)
    const line = page.locator('nav [data-connection]').first()
    await expect(line).toHaveAttribute('data-connection', 'live')
    const stop = session.growSteadily(10)
    // The page is complete with its lazy sections, and it follows.
    await expect.poll(() => session.seq, { timeout: 60_000 }).toBeGreaterThan(70)
    // Not one specific row: each is in view for a moment only while following.
    const newest = () =>
      page
        .locator('[data-seq]')
        .evaluateAll((rows) => Math.max(...rows.map((row) => Number(row.getAttribute('data-seq')))))
    await expect.poll(newest).toBeGreaterThan(60)

    const cutAt = session.seq
    await page.context().setOffline(true)
    const cut = Date.now()
    await expect(line).toHaveAttribute('data-connection', 'offline')
    console.log(`a cut is shown after ${Date.now() - cut} ms`)
    // Events of several seconds.
    await expect.poll(() => session.seq, { timeout: 60_000 }).toBeGreaterThan(cutAt + 30)
    await page.context().setOffline(false)
    await expect(line).toHaveAttribute('data-connection', 'live')
    await expect(page.locator('[data-gap]')).toHaveCount(0)

    const web = webPid(folder)
    product.kill('SIGKILL')
    process.kill(web, 'SIGKILL')
    await expect(line).not.toHaveAttribute('data-connection', 'live')
    await expect(page.locator('[data-line]')).toContainText(/Reconnecting|Offline/)
    product = await processes.startProduct(folder, port)
    await expect(line).toHaveAttribute('data-connection', 'live', { timeout: 60_000 })
    await stop()
    await expect(locateRow(page, session.seq)).toBeInViewport({ timeout: 30_000 })
    expect(await shownSeqs(page)).toEqual(upTo(session.seq))
    product.kill('SIGTERM')
    await new Promise((resolve) => product.once('exit', resolve))
  } finally {
    processes.endAll()
    fs.rmSync(folder, { recursive: true, force: true })
  }
})
