/** Runs before the page's own scripts. Records the latest candidate for the largest paint. */
export async function watchVitals(page) {
  await page.addInitScript(() => {
    const vitals = { lcp: 0, cls: 0, inp: 0 }
    Object.assign(window, { vitals })
    const on = (type, take, options = {}) =>
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) take(entry)
      }).observe({ type, buffered: true, ...options })
    on('largest-contentful-paint', ({ startTime }) => {
      vitals.lcp = startTime
    })
    on('layout-shift', ({ value, hadRecentInput }) => {
      vitals.cls += hadRecentInput ? 0 : value
    })
    const longest = ({ interactionId, duration }) => {
      if (interactionId > 0) vitals.inp = Math.max(vitals.inp, duration)
    }
    on('event', longest, { durationThreshold: 16 })
  })
}

/** @returns {Promise<{ lcp: number, cls: number, inp: number }>} milliseconds, except `cls` */
export async function readVitals(page) {
  return await page.evaluate(
    () =>
      new Promise((resolve) =>
        requestAnimationFrame(() => setTimeout(() => resolve(window.vitals))),
      ),
  )
}

/** Transferred bytes of the programs that the page has fetched so far. */
export async function scriptBytes(page) {
  return await page.evaluate(() => {
    const entries = performance.getEntriesByType('resource')
    const sizes = new Map(entries.map((one) => [new URL(one.name).pathname, one.encodedBodySize]))
    return [...sizes].reduce((sum, [path, size]) => sum + (path.endsWith('.js') ? size : 0), 0)
  })
}

/** Time from each press to the frame in which the first element of `selector` has a different text, or a different attribute `of`. */
export async function watchPaints(page, { selector, of = null }) {
  await page.evaluate(
    ({ selector, of }) => {
      const times = []
      Object.assign(window, { paintTimes: times })
      const readValue = () => {
        const element = document.querySelector(selector)
        return (of === null ? element?.textContent : element?.getAttribute(of)) ?? null
      }
      let from = null
      let before = null
      const look = () => {
        const now = readValue()
        if (now === null || now === '' || now === before) return void requestAnimationFrame(look)
        times.push(performance.now() - from)
        from = null
      }
      const start = () => {
        if (from === null) {
          before = readValue()
          requestAnimationFrame(look)
        }
        from = performance.now()
      }
      addEventListener('pointerdown', start, true)
      addEventListener('keydown', start, true)
    },
    { selector, of },
  )
}

/** `matchTime` returns the time from the next key to the frame in which a row with a match is selected. No row may be selected before. */
export async function watchMatch(page) {
  await page.evaluate(() => {
    Object.assign(window, { matchTime: null })
    const start = ({ timeStamp }) => {
      const look = () => {
        const row = document.querySelector('[role=row][aria-selected=true][data-match]')
        if (row === null) requestAnimationFrame(look)
        else Object.assign(window, { matchTime: performance.now() - timeStamp })
      }
      requestAnimationFrame(look)
    }
    addEventListener('keydown', start, { capture: true, once: true })
  })
}

export async function matchTime(page) {
  const time = await page.waitForFunction(() => window.matchTime)
  return await time.jsonValue()
}

/** Runs before the page's own scripts. Records when the first selected row is in view, in ms since the navigation. */
export async function watchSelected(page) {
  await page.addInitScript(() => {
    const look = () => {
      const row = document.querySelector('[role=row][aria-selected=true]')
      const box = row?.getBoundingClientRect()
      const isSeen = box !== undefined && box.top >= 0 && box.bottom <= innerHeight
      if (isSeen) Object.assign(window, { selectedAt: performance.now() })
      else requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
  })
}

/** Runs before the page's own scripts. `readFirst` returns when the first element of each selector was painted, in ms since the navigation. */
export async function watchFirst(page, selectors) {
  await page.addInitScript((all) => {
    const first = {}
    const look = () => {
      for (const [name, selector] of Object.entries(all)) {
        if (document.querySelector(selector) !== null) first[name] ??= performance.now()
      }
      if (Object.keys(first).length < Object.keys(all).length) requestAnimationFrame(look)
      else Object.assign(window, { firstSeen: first })
    }
    requestAnimationFrame(look)
  }, selectors)
}

export async function readFirst(page) {
  const first = await page.waitForFunction(() => window.firstSeen)
  return await first.jsonValue()
}

/** Waits until `count` presses are painted. Polls the page once per frame, at no cost; a failing `expect` would read the whole page. */
export async function paintTimes(page, count) {
  await page.waitForFunction((least) => window.paintTimes.length >= least, count)
  const times = await page.evaluate(() => [...window.paintTimes])
  return times.sort((a, b) => a - b)
}

/** The returned function gives ms since its last call, of the page's main thread alone: no other load of the machine counts. */
export async function threadTime(page) {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  let before = 0
  const read = async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000
  }
  before = await read()
  return async () => {
    const now = await read()
    const spent = now - before
    before = now
    return spent
  }
}

/** Durations of 200 frames in which the list moves by `step` px each, ascending. */
export async function scrolled(page, step) {
  return await page.evaluate(async (perFrame) => {
    const list = document.querySelector('.event-list')
    list.scrollTop = 0
    const frames = []
    let last = performance.now()
    for (let frame = 0; frame < 200; frame += 1) {
      list.scrollTop += perFrame
      await new Promise(requestAnimationFrame)
      frames.push(performance.now() - last)
      last = performance.now()
    }
    return frames.sort((a, b) => a - b)
  }, step)
}
