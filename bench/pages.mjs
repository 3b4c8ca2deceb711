// The processor time of the page's thread does not depend on the machine's other load. `SIGNALBOX_BENCH_TIMES=40`: number of permalinks,
// seeks and searches each (200, 100 and 20).
import { chromium, expect } from '@playwright/test'
import { LAUNCH } from '../scripts/chromium.mjs'
import {
  matchTime,
  paintTimes,
  readVitals,
  scriptBytes,
  scrolled,
  threadTime,
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
/** The Overview, analytics and the editor may fetch more, and so may a session whose config has conditions. */
function mostBytes(path) {
  if (/^\/$|^\/analytics|\/edit$/.test(path)) return 420_000
  return path.startsWith('/sessions/') ? 320_000 : 250_000
}
const times = (usual) => Number(process.env.SIGNALBOX_BENCH_TIMES ?? usual)
const ms = (value) => `${value.toFixed(0)} ms`

const CONFIG = `/configs/${STORY_PROMPT.ns}/${STORY_PROMPT.key}`
const ROUTES = [
  ...['/', '/sessions', '/stops', '/decisions', '/call-approvals', '/alerts', '/alerts/rules'],
  ...['/analytics/denials', '/analytics/stops', '/configs', CONFIG, `${CONFIG}/versions`],
  ...[`${CONFIG}/edit`, '/releases', '/runtimes', '/settings/keys', '/settings/audit-log'],
]

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
  await seen(page.getByRole('dialog', { name: 'Keys' })).toBeVisible()
  await page.keyboard.press('Escape')
  for (let n = 0; n < 5; n += 1) await page.keyboard.press('Tab')
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
    await use(page)
    const { lcp, cls, inp } = await readVitals(page)
    row(path.replace(/sess_\w+/, 'sess_…'), {
      figure: `${ms(lcp)}, ${cls.toFixed(3)}, ${ms(inp)}, ${(bytes / 1000).toFixed(0)} kB`,
      bars: [
        { text: '1.5 s', met: lcp < 1_500 },
        { text: '0.05', met: cls < 0.05 },
        { text: '200 ms', met: inp < 200 },
        { text: `${mostBytes(path) / 1000} kB`, met: bytes <= mostBytes(path) },
      ],
    })
    await page.context().close()
  }
}

/** `spent`: processor time of all repetitions together, ms. */
function timed(name, sorted, { most, spent }) {
  const p95 = percentile(sorted, 0.95)
  row(name, {
    times: sorted,
    unit: 'ms',
    figure: `p95 ${ms(p95)}`,
    bars: [{ text: `p95 ${ms(most)}`, met: p95 <= most }],
  })
  note(`${sorted.length} of them, ${ms(spent / sorted.length)} of processor in the page for each`)
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
    await routes(browser, place, [...ROUTES, `/sessions/${id}`])
  } finally {
    await browser.close()
    await product.stop()
  }
}
