// Ingest as runtimes use it: real sessions under the demo config, gzip NDJSON batches over HTTP. The server validates, stores, projects and
// recomputes each event; database, server and load generator share this machine.
import fs from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { ROOT, startProduct } from './product.mjs'
import { recordSession, sendEvents } from './recorded-session.mjs'
import { perSecond, row, section } from './report.mjs'

const PORT = 3198
const SECONDS = 8
const CONNECTIONS = 8

export async function run() {
  section(
    `Ingest over HTTP for ${SECONDS} s: validated, stored, projected, recomputed; everything on this machine`,
  )
  const { apiKey: key, url, stop } = await startProduct(PORT)
  try {
    const config = JSON.parse(
      fs.readFileSync(path.join(ROOT, 'examples/demo-agent/config.json'), 'utf8'),
    )
    const batches = []
    for (let i = 0; i < 1200; i++) {
      const lines = (await Promise.all([0, 1, 2, 3].map(() => recordSession(config)))).flat()
      batches.push({ body: gzipSync(`${lines.join('\n')}\n`, { level: 1 }), events: lines.length })
    }
    await sendEvents(url, batches.pop().body, key)
    let stored = 0
    const times = []
    const until = performance.now() + SECONDS * 1000
    const from = performance.now()
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        while (performance.now() < until) {
          const batch = batches.pop()
          if (batch === undefined) return
          const started = performance.now()
          // Not `stored += await …`, which reads the sum before it waits and loses what other calls add meanwhile.
          const added = await sendEvents(url, batch.body, key)
          stored += added
          times.push(performance.now() - started)
        }
      }),
    )
    const seconds = (performance.now() - from) / 1000
    times.sort((a, b) => a - b)
    row(`batches of ${batches.at(-1)?.events ?? 'n'} events`, {
      times,
      unit: 'ms',
      figure: perSecond(stored, seconds, 'events'),
      bars: [{ text: '≥ 40,000 events/s', met: stored / seconds >= 40_000 }],
    })
  } finally {
    await stop()
  }
}
