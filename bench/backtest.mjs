// Runs a backtest as a publisher does, and a search for rules over the same sessions. Times are from the first read to the last row.
import fs from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { ROOT, signedIn, startProduct } from './product.mjs'
import { recordSession, sendEvents } from './recorded-session.mjs'
import { note, perSecond, row, section } from './report.mjs'

const PORT = 3196
const PROMPT = { ns: 'demo', key: 'release-notes' }
const SESSIONS = Number(process.env.SIGNALBOX_BENCH_SESSIONS ?? 2000)
/** Number of different rounds; sessions also differ by ids and times. */
const ROUNDS = 4
const BAR = 100_000
const BUSY_MS = 20
/** Interval of polls by the console; the measured time comes from the server. */
const LOOK_MS = 300

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

export async function run() {
  section(`Backtest of ${SESSIONS} stored sessions, ${ROUNDS} times; everything on this machine`)
  const product = await startProduct(PORT)
  try {
    const admin = await signedIn(product)
    const document = JSON.parse(
      fs.readFileSync(path.join(ROOT, 'examples/demo-agent/configs/release-notes.json'), 'utf8'),
    )
    const stored = await recordSessions(product, document)
    const draft = await stricterDraft(admin, document)
    const runs = []
    for (let round = 0; round < ROUNDS; round += 1) runs.push(await runOnce(admin, draft))
    const [{ result }] = runs
    const verdicts = result.unchanged + result.wouldDeny + result.wouldAllow + result.cannotReplay
    note(
      `${stored} events stored, ${result.events} of them in the sessions; ${verdicts} verdicts, ${result.wouldDeny} would deny`,
    )
    const best = Math.max(...runs.map(({ rate }) => rate))
    const rates = runs.map(({ rate }) => rate).sort((a, b) => a - b)
    const middle = rates[Math.floor(rates.length / 2)]
    row(`events of ${SESSIONS} sessions, replayed`, {
      figure: perSecond(middle, 1, 'events'),
      bars: [{ text: '≥ 100,000 events/s', met: middle >= BAR }],
    })
    row('of the fastest run', { figure: perSecond(best, 1, 'events') })
    await learnTwice(admin, result.events)
  } finally {
    await product.stop()
  }
}

async function recordSessions({ url, apiKey }, document) {
  let stored = 0
  for (let from = 0; from < SESSIONS; from += 20) {
    const count = Math.min(20, SESSIONS - from)
    const logs = await Promise.all(Array.from({ length: count }, () => recordSession(document)))
    const body = gzipSync(`${logs.flat().join('\n')}\n`, { level: 1 })
    stored += await sentAtLast(() => sendEvents(url, body, apiKey))
  }
  return stored
}

/** Recording takes longer than the server keeps a connection, so a cut connection is retried; a batch may be sent twice. */
async function sentAtLast(send) {
  for (;;) {
    const stored = await send().catch((error) => {
      if (error instanceof TypeError) return 0
      throw error
    })
    if (stored > 0) return stored
    await pause(BUSY_MS)
  }
}

/** Saves a draft with one rule more than the sessions had, so that the backtest has changes to report. */
async function stricterDraft(admin, document) {
  const policies = [
    ...document.policies,
    {
      id: 'bench-cap',
      type: 'rate_limit',
      tools: ['write_file'],
      max_calls: 20,
      per_seconds: 3600,
    },
  ]
  const text = JSON.stringify({ ...document, policies })
  return await admin.tell('drafts.save', { ...PROMPT, text, seen: null, baseVersion: 1 })
}

async function runOnce(admin, draft) {
  const started = await admin.tell('backtests.start', {
    ...PROMPT,
    sample: { kind: 'last', sessions: SESSIONS },
    subject: { kind: 'draft', id: draft.id, revision: draft.revision },
  })
  if (!started.ok) throw new Error(`no backtest: ${started.reason}`)
  for (;;) {
    const result = await admin.ask('backtests.get', { id: started.id })
    if (result.status === 'done') {
      const seconds = (result.finishedAt - result.startedAt) / 1000
      return { result, rate: result.events / seconds }
    }
    if (result.status === 'failed') throw new Error(result.error)
    await pause(LOOK_MS)
  }
}

/** The first search counts all sessions; the second finds their counts, and only tests the rules. */
async function learnTwice(admin, events) {
  const place = { ...PROMPT, environment: 'dev' }
  const learn = async () => {
    await admin.tell('suggestions.start', place)
    for (;;) {
      const { run, sample, rules } = await admin.ask('suggestions.find', place)
      if (run.status === 'failed') throw new Error(run.error)
      if (run.status === 'done') {
        return { seconds: (run.finishedAt - run.createdAt) / 1000, sample, rules }
      }
      await pause(LOOK_MS)
    }
  }
  const [first, second] = [await learn(), await learn()]
  note(
    `${first.sample.good} good sessions, ${first.rules.length} rules; searched in ${first.seconds.toFixed(1)} s, and again in ${second.seconds.toFixed(1)} s`,
  )
  const rate = events / (first.seconds - second.seconds)
  row('events counted by a search for rules', {
    figure: perSecond(rate, 1, 'events'),
    bars: [{ text: '≥ 100,000 events/s', met: rate >= BAR }],
  })
}
