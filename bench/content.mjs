// Content rules on one result, as the model waits for it: inspection, decision, and the masked value.
import { inspect, replaceFound } from '@signalbox/runtime/content'
import { percentile, row, section } from './report.mjs'

const SIZES = [10_000, 1_000_000]
const SAMPLES = { 10000: 300, 1000000: 30 }
const LIMITS_MS = { 10000: 10, 1000000: 250 }
const LINE = 'The quick brown fox {"id": 12345, "url": "https://example.com/x?y=1"} jumps.\n'
/** Has the form of a token of GitHub. */
const SECRET = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`

const KINDS = {
  secrets: [{ id: 'secrets', kind: 'secrets', on: 'result', action: 'mask' }],
  pii: [{ id: 'pii', kind: 'pii', on: 'result', action: 'mask' }],
  pattern: [
    { id: 'pattern', kind: 'pattern', on: 'result', action: 'mask', matches: '(a|b)+c[0-9]{4}' },
  ],
}

function createText(chars) {
  const half = LINE.repeat(Math.ceil(chars / 2 / LINE.length))
  return `${half}${SECRET} jane@example.com\n${half}`.slice(0, chars)
}

async function measure(rules, text, samples) {
  const inspection = {
    rules,
    key: new Uint8Array(32),
    answerMs: 60_000,
    onFailure: (_, error) => {
      throw error
    },
  }
  const masking = new Set(rules.map(({ id }) => id))
  const times = []
  for (let i = -3; i < samples; i += 1) {
    const started = performance.now()
    replaceFound(await inspect(text, inspection), masking)
    if (i >= 0) times.push(performance.now() - started)
  }
  return times.sort((a, b) => a - b)
}

export async function run() {
  section('Content rules on one result: found and masked')
  const all = { ...KINDS, 'all three': Object.values(KINDS).flat() }
  for (const [kind, rules] of Object.entries(all)) {
    for (const chars of SIZES) {
      const times = await measure(rules, createText(chars), SAMPLES[chars])
      const limit = LIMITS_MS[chars]
      row(`${kind}, ${chars === 10_000 ? '10 kB' : '1 MB'}`, {
        times,
        unit: 'ms',
        bars:
          kind === 'all three'
            ? [{ text: `p50 ≤ ${limit} ms`, met: percentile(times, 0.5) <= limit }]
            : [],
      })
    }
  }
}
