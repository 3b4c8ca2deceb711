// The story's events through the ingest that runtimes use, followed in a real browser. All of them share this machine.
//   SIGNALBOX_BENCH_LIVE_SECONDS=60   duration of each rate (30)
//   SIGNALBOX_BENCH_LIVE_RATES=50     events a second (50,1000)
import { ensureBrowser } from '../scripts/browser.mjs'
import { measureUsage, measureWeb, signedIn, startProduct } from './product.mjs'
import { note, percentile, row, section } from './report.mjs'
import { liveStory, publishStory } from './story-session.mjs'

const PORT = 3195
const SECONDS = Number(process.env.SIGNALBOX_BENCH_LIVE_SECONDS ?? 30)
const RATES = (process.env.SIGNALBOX_BENCH_LIVE_RATES ?? '50,1000').split(',').map(Number)
/** A longer frame counts as dropped. */
const DROPPED_MS = 50
const WINDOW = { width: 1280, height: 800 }

/** Runs in the page. Records at every frame its duration and the newest event with a row. */
function watchPainting() {
  const painted = []
  const frames = []
  let before = performance.now()
  let newest = 0
  const look = (now) => {
    frames.push(now - before)
    before = now
    let seen = 0
    for (const each of document.querySelectorAll('[role=grid] [data-seq]'))
      seen = Math.max(seen, Number(each.getAttribute('data-seq')))
    if (seen > newest) painted.push([seen, Date.now()])
    newest = Math.max(newest, seen)
    requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
  Object.assign(window, { painted, frames })
}

/** `sent`: times of events by sequence number. An event is painted with the first row of itself or of a later one. */
function computeLags(sent, painted) {
  const lags = []
  let from = painted[0]?.[0] ?? 0
  for (const [seq, at] of painted.slice(1)) {
    for (let each = from + 1; each <= seq; each += 1) {
      const emitted = sent.get(each)
      if (emitted !== undefined) lags.push(at - emitted)
    }
    from = seq
  }
  return lags.sort((a, b) => a - b)
}

function tallyLines(lines) {
  const of = (type) => lines.filter((line) => line.type === type).length
  return {
    maxSeq: lines.at(-1)?.seq ?? 0,
    calls: of('tool.requested'),
    denied: lines.filter(({ type, data }) => type === 'tool.decided' && data.decision !== 'allowed')
      .length,
    feedback: lines.filter(
      ({ type, data }) => type === 'feedback.delivered' && data.mode === 'enforce',
    ).length,
  }
}

async function opened(browser, product, admin) {
  const context = await browser.newContext({ viewport: WINDOW })
  await context.addCookies(
    admin.cookie.split('; ').map((pair) => {
      const at = pair.indexOf('=')
      return { name: pair.slice(0, at), value: pair.slice(at + 1), url: product.url }
    }),
  )
  return { context, page: await context.newPage() }
}

async function measureHeap(context, page) {
  const session = await context.newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  return usedSize / 1024 / 1024
}

async function settled(page, seq) {
  const drawn = (newest) =>
    [...document.querySelectorAll('[role=grid] [data-seq]')].some(
      (each) => Number(each.getAttribute('data-seq')) >= newest,
    )
  return await page.waitForFunction(drawn, seq, { timeout: 30_000 }).then(
    () => true,
    () => false,
  )
}

async function watch({ browser, product, admin }, perSecond) {
  const { context, page } = await opened(browser, product, admin)
  const lines = []
  /** Times at which the server had acknowledged events up to a number, epoch ms. */
  const acknowledged = []
  const stop = new AbortController()
  let begun
  const first = new Promise((resolve) => {
    begun = resolve
  })
  const story = liveStory({
    url: product.url,
    key: product.apiKey,
    seed: perSecond,
    perSecond,
    signal: stop.signal,
    onSent: ({ id, seq, lines: sent }) => {
      lines.push(...sent)
      acknowledged.push([seq, Date.now()])
      begun(id)
    },
  })
  const id = await first
  await page.goto(`${product.url}/sessions/${id}`)
  await page.locator('[data-follow="following"]').waitFor()
  // Excludes events from before the page opened, for which no one waited.
  await page.locator('[data-loaded="true"]').waitFor()
  await page.waitForTimeout(2_000)
  await page.evaluate(watchPainting)
  const before = await measureHeap(context, page)
  await page.waitForTimeout(SECONDS * 1000)
  const { painted, frames } = await page.evaluate(() => ({
    painted: window.painted,
    frames: window.frames,
  }))
  const after = await measureHeap(context, page)
  stop.abort()
  await story
  const events = lines.map((line) => JSON.parse(line))
  const isWhole = await settled(page, events.at(-1).seq)
  const recorded = tallyLines(events)
  const head = await admin.ask('sessions.head', { sessionId: id })
  const wrong = Object.entries(recorded).filter(([name, count]) => head[name] !== count)
  const emitted = new Map(events.map(({ seq, at }) => [seq, at]))
  const lags = computeLags(emitted, painted)
  // The first batch was sent before the page opened; each series starts with its first value.
  const stored = computeLags(emitted, acknowledged)
  const seconds = frames.reduce((sum, each) => sum + each, 0) / 1000
  await context.close()
  return {
    lags,
    stored,
    frames: frames.sort((a, b) => a - b),
    seconds,
    before,
    after,
    recorded,
    isWhole,
    wrong,
    perSecond,
    head,
  }
}

function report(
  { lags, stored, frames, seconds, before, after, recorded, isWhole, wrong, perSecond, head },
  server,
) {
  const [p95, p99] = [percentile(lags, 0.95), percentile(lags, 0.99)]
  row(`event emitted → painted, ${perSecond}/s for ${Math.round(seconds)} s`, {
    times: lags,
    unit: 'ms',
    figure: `${lags.length} events, p95 ${p95.toFixed(0)}`,
    bars: [{ text: 'p99 ≤ 250 ms', met: p99 <= 250 }],
  })
  row('of that, emitted → stored and acknowledged', { times: stored, unit: 'ms' })
  const dropped = frames.filter((each) => each > DROPPED_MS).length
  row('frames', {
    times: frames,
    unit: 'ms',
    figure: `${dropped} of ${frames.length} > ${DROPPED_MS} ms`,
    bars: [{ text: 'p95 < 50 ms', met: percentile(frames, 0.95) < 50 }],
  })
  note(`page ${before.toFixed(0)} → ${after.toFixed(0)} MiB, server ${server.mib.toFixed(0)} MiB`)
  row('counts at the end', {
    figure: `${recorded.maxSeq} events`,
    bars: [{ text: 'as recorded', met: isWhole && wrong.length === 0 }],
  })
  for (const [name, count] of wrong) note(`${name}: ${head[name]}, recorded ${count}`)
}

export async function run() {
  section('A growing session, followed in a browser')
  const { chromium } = await import('@playwright/test')
  const product = await startProduct(PORT)
  const browser = await chromium.launch({
    executablePath: await ensureBrowser(),
    args: ['--no-sandbox'],
  })
  try {
    const admin = await signedIn(product)
    await publishStory(admin)
    for (const perSecond of RATES)
      report(
        await watch({ browser, product, admin }, perSecond),
        measureWeb(product) ?? measureUsage(product.pid),
      )
  } finally {
    await browser.close()
    await product.stop()
  }
}
