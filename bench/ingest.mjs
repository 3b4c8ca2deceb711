// Ingest, as runtimes use it: real sessions under the demo config, gzip NDJSON batches over HTTP, each event validated,
// stored, projected and recomputed by the server; database, server and load generator share this machine.
import fs from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { createGuardrails } from '@signalbox/runtime'
import { ROOT, startProduct } from './product.mjs'
import { perSecond, row, section } from './report.mjs'

const PORT = 3198
const SECONDS = 8
const CONNECTIONS = 8
const CALLS = 60

/** The lines of one session, as the runtime writes them. */
async function recordSession(config) {
  const lines = []
  const guardrails = createGuardrails({ config, onEvent: (line) => lines.push(line) })
  const known = { lookUp: async () => ({ exists: true, kind: 'file', fingerprint: 'sha256:1' }) }
  const session = guardrails.openSession({ files: known, deadlineAt: Date.now() + 600_000 })
  for (let i = 0; i < CALLS; i++) {
    const call = {
      tool: i % 2 === 0 ? 'read_file' : 'write_file',
      args: { path: `src/${i >> 1}.ts` },
      callId: `c${i}`,
    }
    const verdict = await session.beforeToolCall(call)
    if (verdict.allowed)
      await session.afterToolCall({ ...call, outcome: 'success', output: 'ok', durationMs: 3 })
  }
  await session.end({ reason: 'completed' })
  return lines
}

async function send(body, key) {
  const answer = await fetch(`http://127.0.0.1:${PORT}/api/runtime/v1/events`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/x-ndjson',
      'content-encoding': 'gzip',
    },
    body,
  })
  if (answer.status === 429) return 0
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
  const { stored, errors } = await answer.json()
  if (errors.length > 0) throw new Error(JSON.stringify(errors[0]))
  return stored
}

export async function run() {
  section(
    `Ingest over HTTP for ${SECONDS} s: validated, stored, projected, recomputed; everything on this machine`,
  )
  const { apiKey: key, stop } = await startProduct(PORT)
  try {
    const config = JSON.parse(
      fs.readFileSync(path.join(ROOT, 'examples/demo-agent/config.json'), 'utf8'),
    )
    const batches = []
    for (let i = 0; i < 1200; i++) {
      const lines = (await Promise.all([0, 1, 2, 3].map(() => recordSession(config)))).flat()
      batches.push({ body: gzipSync(`${lines.join('\n')}\n`, { level: 1 }), events: lines.length })
    }
    await send(batches.pop().body, key)
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
          // Not `stored += await …`: that reads the sum before it waits, and loses what the others add meanwhile.
          const added = await send(batch.body, key)
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
