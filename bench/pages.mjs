// The processor time of the page's thread does not depend on the machine's other load. `SIGNALBOX_BENCH_TIMES=40`: number of permalinks,
// seeks and searches each (200, 100 and 20).
import fs from 'node:fs'
import os from 'node:os'
import { join } from 'node:path'
import { chromium, expect } from '@playwright/test'
import { createGuardrails } from '@signalbox/runtime'
import { LAUNCH } from '../scripts/chromium.mjs'
import { listPages, mostScriptBytes } from './page-list.mjs'
import {
  matchTime,
  paintTimes,
  readFirst,
  readVitals,
  scriptBytes,
  scrolled,
  threadTime,
  watchFirst,
  watchMatch,
  watchPaints,
  watchSelected,
  watchVitals,
} from './page-watch.mjs'
import { signedIn, startProduct } from './product.mjs'
import { note, percentile, row, section } from './report.mjs'
import { publishStory, STORY_PROMPT, sendLines, tellStory } from './story-session.mjs'

/** A loaded machine is slow, not broken. */
const seen = expect.configure({ timeout: 60_000 })
const PORT = 3193
const EVENTS = 50_000
const times = (usual) => Number(process.env.SIGNALBOX_BENCH_TIMES ?? usual)
const ms = (value) => `${value.toFixed(0)} ms`

const CONFIG = `/configs/${STORY_PROMPT.ns}/${STORY_PROMPT.key}`
/** Pages without the console's frame, where its keys do nothing. */
const OUTSIDE = ['/docs', '/docs/tutorial', '/docs/search?q=stop']
/** Lists whose first row links to the page of an object. */
const LISTS = ['/stops', '/decisions', '/releases', '/runtimes', '/settings/audit-log']

async function opened(browser, { url, cookie }) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  const cookies = cookie.split('; ').map((pair) => {
    const at = pair.indexOf('=')
    return { name: pair.slice(0, at), value: pair.slice(at + 1), url }
  })
  await context.addCookies(cookies)
  return await context.newPage()
}

async function use(page) {
  const palette = page.getByRole('dialog', { name: 'Search or jump' })
  // A page that is not hydrated yet handles no key.
  await seen(async () => {
    if (!(await palette.isVisible())) await page.keyboard.press('ControlOrMeta+k')
    await seen(palette).toBeVisible({ timeout: 1_000 })
  }).toPass()
  await page.keyboard.type('stops', { delay: 30 })
  await seen(page.getByRole('option').first()).toBeVisible()
  await page.keyboard.press('Escape')
  await seen(palette).toHaveCount(0)
  await page.keyboard.press('Shift+?')
  await seen(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible()
  await page.keyboard.press('Escape')
  for (let n = 0; n < 5; n += 1) await page.keyboard.press('Tab')
}

async function findPaths(browser, place, id) {
  const page = await opened(browser, place)
  const objects = []
  for (const list of LISTS) {
    await page.goto(`${place.url}${list}`)
    const link = page.locator(`main a[href^="${list}/"]`).first()
    objects.push((await link.getAttribute('href')) ?? list)
  }
  await page.context().close()
  const listed = Object.values(listPages(CONFIG)).flat()
  return [...listed, ...objects, `/sessions/${id}`, `/sessions/${id}/report`, ...OUTSIDE]
}

async function routes(browser, place, paths) {
  section(
    'Every page, cold: largest paint, layout shift, longest interaction, programs before it is used',
  )
  for (const path of paths) {
    const page = await opened(browser, place)
    await watchVitals(page)
    await page.goto(`${place.url}${path}`)
    await seen(page.getByRole('heading', { level: 1 })).toBeVisible()
    await page.waitForLoadState('networkidle').catch(() => undefined)
    const bytes = await scriptBytes(page)
    if (!OUTSIDE.includes(path)) await use(page)
    const { lcp, cls, inp } = await readVitals(page)
    row(path.replace(/_\w{26}/, '_…'), {
      figure: `${ms(lcp)}, ${cls.toFixed(3)}, ${ms(inp)}, ${(bytes / 1000).toFixed(0)} kB`,
      bars: [
        { text: '1.2 s', met: lcp < 1_200 },
        { text: '0.05', met: cls < 0.05 },
        { text: '200 ms', met: inp < 200 },
        { text: `${mostScriptBytes(path) / 1000} kB`, met: bytes <= mostScriptBytes(path) },
      ],
    })
    await page.context().close()
  }
}

/** `spent`: processor time of all repetitions together, ms; absent: not measured. */
function timed(name, sorted, { most, spent }) {
  const p95 = percentile(sorted, 0.95)
  row(name, {
    times: sorted,
    unit: 'ms',
    figure: `p95 ${ms(p95)}`,
    bars: [{ text: `p95 ${ms(most)}`, met: p95 <= most }],
  })
  const each =
    spent === undefined ? '' : `, ${ms(spent / sorted.length)} of processor in the page for each`
  note(`${sorted.length} of them${each}`)
}

async function permalinks(page, { url }, id) {
  await watchSelected(page)
  const spent = await threadTime(page)
  const all = []
  let processor = 0
  for (let n = 0; n < times(200); n += 1) {
    const seq = 1 + ((n * 30_901) % (EVENTS - 10))
    await page.goto(`${url}/e/evt_${id.replace(/^sess_/, '')}_${seq}`)
    const at = await page.waitForFunction(() => window.selectedAt)
    all.push(await at.jsonValue())
    processor += Math.max(0, await spent())
  }
  all.sort((a, b) => a - b)
  timed('link to an event: asked -> its row in view', all, { most: 1_500, spent: processor })
}

/** Opens the page in a browser without a cache. The newest events come first, the index of all others after them. */
async function opening(browser, place, id) {
  const shown = []
  const loaded = []
  for (let n = 0; n < times(10); n += 1) {
    const page = await opened(browser, place)
    await watchFirst(page, { row: '.event-list [role=row][data-seq]', index: '[data-loaded=true]' })
    await page.goto(`${place.url}/sessions/${id}`)
    const first = await readFirst(page)
    shown.push(first.row)
    loaded.push(first.index)
    await page.context().close()
  }
  for (const all of [shown, loaded]) all.sort((a, b) => a - b)
  timed('open, cold: asked -> newest events painted', shown, { most: 1_000 })
  row('open, cold: asked -> index of all events loaded', { times: loaded, unit: 'ms' })
}

async function travel(page, { url }, id) {
  await page.goto(`${url}/sessions/${id}?e=1209`)
  const state = page.locator('[data-state-seq]')
  await seen(state).toHaveAttribute('aria-busy', 'false')
  await seen(page.locator('[data-loaded=true]')).toHaveCount(1)
  await watchPaints(page, { selector: '[data-state-seq]', of: 'data-state-seq' })
  const box = await page.getByRole('slider', { name: /position in session/i }).boundingBox()
  const spent = await threadTime(page)
  for (let n = 1; n <= times(100); n += 1) {
    // Multiples of the golden ratio are far apart, and never repeat.
    const share = (n * 0.618_034) % 1
    await page.mouse.click(box.x + 2 + share * (box.width - 4), box.y + box.height / 2)
    await paintTimes(page, n)
  }
  const all = await paintTimes(page, times(100))
  timed('time travel: press -> state painted', all, { most: 150, spent: await spent() })
}

const SEARCHED = ['RepeatedFailure', 'tool:deploy', 'write_file', 'verdict:denied']

/** Types the last letter and Enter at once: the first match is selected as soon as it is known. */
async function searches(page, { url }, id) {
  await page.goto(`${url}/sessions/${id}`)
  await seen(page.locator('[data-loaded=true]')).toHaveCount(1)
  const box = page.getByLabel('Search this session')
  const result = page.locator('#search-result')
  const spent = await threadTime(page)
  const all = []
  let processor = 0
  for (let n = 0; n < times(20); n += 1) {
    const text = SEARCHED[n % SEARCHED.length] ?? ''
    await box.fill(text.slice(0, -1))
    await seen(result).toHaveText(/match(es)?$/)
    await watchMatch(page)
    await spent()
    await box.press(text.slice(-1))
    await box.press('Enter')
    all.push(await matchTime(page))
    processor += await spent()
    await seen(result).toHaveText(/ of [\d,]+\+? match(es)?$/)
    // Returns to the present, with no row selected.
    await box.press('Escape')
    await page.keyboard.press('Escape')
    await seen(page.locator('[role=row][aria-selected=true]')).toHaveCount(0)
  }
  all.sort((a, b) => a - b)
  timed('search: last key -> first match', all, { most: 300, spent: processor })
}

async function scrolling(page, { url }, id) {
  await page.goto(`${url}/sessions/${id}?every=true`)
  await seen(page.locator('[data-loaded=true]')).toHaveCount(1)
  for (const step of [120, 4_000]) {
    const spent = await threadTime(page)
    const frames = await scrolled(page, step)
    timed(`scrolling ${step} px a frame`, frames, { most: 50, spent: await spent() })
  }
}

/** The pages of a runtime need one. */
async function registerRuntime({ url, apiKey }) {
  const dataDir = fs.mkdtempSync(join(os.tmpdir(), 'signalbox-bench-runtime-'))
  const guardrails = createGuardrails({
    url,
    apiKey,
    prompt: CONFIG.slice('/configs/'.length),
    dataDir,
  })
  await guardrails.ready()
  await guardrails.close(3_000)
  fs.rmSync(dataDir, { recursive: true, force: true })
}

export async function run() {
  const product = await startProduct(PORT)
  const browser = await chromium.launch(LAUNCH)
  try {
    const person = await signedIn(product)
    await publishStory(person)
    const { id, lines } = await tellStory({ events: EVENTS })
    await sendLines({ url: product.url, key: product.apiKey }, lines)
    const place = { url: product.url, cookie: person.cookie }
    section(`A session of ${lines.length.toLocaleString('en')} events`)
    const page = await opened(browser, place)
    for (const measure of [travel, searches, scrolling, permalinks]) await measure(page, place, id)
    await opening(browser, place, id)
    await registerRuntime(product)
    await routes(browser, place, await findPaths(browser, place, id))
  } finally {
    await browser.close()
    await product.stop()
  }
}
