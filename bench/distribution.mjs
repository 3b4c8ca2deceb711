// From the publisher's request until the server has stored each runtime's report. Server, database and all runtimes share this machine.
import { fork } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { measureWeb, processesBelow, ROOT, signedIn, startProduct } from './product.mjs'
import { note, row, section } from './report.mjs'

const PORT = 3199
/** Even, because two processes simulate the runtimes. */
const RUNTIMES = 2 * Math.ceil(Number(process.env.SIGNALBOX_BENCH_RUNTIMES ?? 1000) / 2)
const ROUNDS = 8
/** Rounds with notifications as they were before decision 48, for comparison. */
const NOTIFIED_ROUNDS = 4
/** The interval of heartbeats, because runtimes that connected together send them together. */
const IDLE_SECONDS = 30
/** Otherwise connecting and the first use of compilers would be measured, too. */
const CONNECTED_MS = 11_000
/** Time in which a quiet server has returned the memory that its start or a release needed (scripts/collect-when-quiet.mjs). */
const RETURNED_MS = 25_000
const BAR_MS = 1000
/** Percent of one core. */
const IDLE_BAR = 2
const MEMORY_BAR_KIB = 60
const PROMPT = { ns: 'demo', key: 'release-notes' }

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Two processes, so that the simulation needs as little as possible of one core. `connections` absent: one or more for each runtime.
 * @param {{ count: number, push?: boolean, connections?: number, prefix?: string }} options `count` is even
 */
export function startFleet({ url, apiKey }, { count, push = true, connections, prefix = 'bench' }) {
  const applied = new Map()
  const waits = new Map()
  const children = [0, 1].map((index) => {
    const each = { count: count / 2, prefix: `${prefix}-${index}` }
    const options = { url, apiKey, ...each, push, connections }
    const child = fork(path.join(ROOT, 'bench/runtime-fleet.mjs'), [JSON.stringify(options)])
    child.on('message', (message) => {
      if (message.kind !== 'applied') return
      const list = applied.get(message.revision) ?? []
      applied.set(message.revision, list)
      list.push(message.at)
      if (list.length >= count) waits.get(message.revision)?.()
    })
    return child
  })
  const nextMessage = (child, kind) =>
    new Promise((resolve, reject) => {
      const end = () => child.off('message', receive).off('exit', fail)
      const receive = (message) => {
        if (message.kind !== kind) return
        end()
        resolve(message)
      }
      const fail = (code) => {
        end()
        reject(new Error(`the runtimes ended with ${code}`))
      }
      child.on('message', receive).on('exit', fail)
    })
  const askAll = (question, kind) =>
    Promise.all(
      children.map((child) => {
        const answer = nextMessage(child, kind)
        child.send(question)
        return answer
      }),
    )
  return {
    count,
    ready: Promise.all(children.map((child) => nextMessage(child, 'ready'))),
    applied: (revision) => applied.get(revision) ?? [],
    untilAll: (revision) =>
      Promise.race([
        new Promise((resolve) => {
          waits.set(revision, () => resolve(undefined))
          if ((applied.get(revision) ?? []).length >= count) resolve(undefined)
        }),
        pause(60_000),
      ]),
    poll: () => askAll('poll', 'polled'),
    tally: async () => {
      const tallies = await askAll('tally', 'tally')
      const sum = {}
      for (const { tally } of tallies)
        for (const [name, count] of Object.entries(tally)) sum[name] = (sum[name] ?? 0) + count
      return sum
    },
    stop: () =>
      Promise.all(
        children.map((child) => {
          if (!child.connected) return Promise.resolve()
          const ended = new Promise((resolve) => child.once('exit', resolve))
          child.send('stop')
          return ended
        }),
      ),
  }
}

/** Saves the draft again if it exists: a publish leaves it open. */
async function savedDraft(admin, { text, baseVersion }) {
  const save = (seen) => admin.tell('drafts.save', { ...PROMPT, text, seen, baseVersion })
  const first = await save(null)
  if (first.ok) return first
  const { id, revision } = first.current
  const again = await save({ id, revision })
  if (!again.ok) throw new Error(`not saved: ${again.reason}`)
  return { id, ...again }
}

export async function publisher(product) {
  const admin = await signedIn(product)
  const file = path.join(ROOT, 'examples/demo-agent/configs/release-notes.json')
  const document = JSON.parse(fs.readFileSync(file, 'utf8'))
  let version = 1
  return {
    admin,
    async publish() {
      const text = JSON.stringify({ ...document, description: `round ${version}` })
      const draft = await savedDraft(admin, { text, baseVersion: version })
      const at = Date.now()
      const answer = await admin.tell('releases.publish', {
        ...PROMPT,
        draftId: draft.id,
        revision: draft.revision,
        environment: 'dev',
      })
      if (!answer.ok) throw new Error(`not published: ${answer.message}`)
      version = answer.release.version
      return { at, answered: Date.now() - at, release: answer.release }
    },
  }
}

const countConnections = (product) =>
  processesBelow(product.pid).filter(({ command }) =>
    /^postgres: .*(127\.0\.0\.1|\[local\]|::1)/.test(command),
  ).length

const mib = (value) => `${Math.round(value)} MiB`

async function measure(product) {
  const startedPublisher = await publisher(product)
  await pause(RETURNED_MS)
  const alone = measureWeb(product)
  const fleet = startFleet(product, { count: RUNTIMES })
  try {
    const began = Date.now()
    await fleet.ready
    note(
      `${RUNTIMES} runtimes registered and listening after ${((Date.now() - began) / 1000).toFixed(1)} s`,
    )
    await pause(CONNECTED_MS)
    const { times, answers } = await releases({ ...startedPublisher, fleet, rounds: ROUNDS })
    row(`publish → applied, ${RUNTIMES} runtimes, ${ROUNDS} releases`, {
      times,
      unit: 'ms',
      figure: `slowest ${times.at(-1)} ms`,
      bars: [{ text: `p99 ≤ ${BAR_MS} ms`, met: times[Math.floor(times.length * 0.99)] <= BAR_MS }],
    })
    row('of which the publisher waits for its answer', { times: answers, unit: 'ms' })
    await quiet({ fleet, product, alone })
  } finally {
    await fleet.stop()
  }
  const notified = startFleet(product, { count: RUNTIMES, push: false })
  try {
    await notified.ready
    const { times } = await releases({
      ...startedPublisher,
      fleet: notified,
      rounds: NOTIFIED_ROUNDS,
    })
    row('the same, for runtimes that are only notified', { times, unit: 'ms' })
  } finally {
    await notified.stop()
  }
}

/** Sorted times until each runtime's report is stored, and until the publisher gets its answer. */
export async function releases({ admin, publish, fleet, rounds }) {
  const times = []
  const answers = []
  for (let round = 0; round < rounds; round++) {
    const { at, answered, release } = await publish()
    answers.push(answered)
    await fleet.untilAll(release.revision)
    const took = fleet.applied(release.revision).map((one) => one - at)
    while (took.length < fleet.count) took.push(60_000)
    times.push(...took)
    const adoption = await admin.ask('releases.adoption', { releaseId: release.id })
    const { status, applied, total } = adoption
    if (status !== 'live')
      note(`round ${round}: the console says ${status}, ${applied} of ${total}`)
    await pause(1500)
  }
  return { times: times.sort((a, b) => a - b), answers: answers.sort((a, b) => a - b) }
}

async function quiet({ fleet, product, alone }) {
  await pause(RETURNED_MS)
  const before = await fleet.tally()
  const from = measureWeb(product)
  await pause(IDLE_SECONDS * 1000)
  const after = await fleet.tally()
  const to = measureWeb(product)
  const polls = after.polls - before.polls
  row(`${IDLE_SECONDS} s without a release: requests for the config`, {
    figure: String(polls),
    bars: [{ text: 'none', met: polls === 0 }],
  })
  await fleet.poll()
  const polled = await fleet.tally()
  const unchanged = polled.unchanged - after.unchanged
  row('one request of each runtime for the config, answered 304', {
    figure: `${unchanged} of ${fleet.count}`,
    bars: [{ text: 'all', met: unchanged === fleet.count }],
  })
  row('heartbeats stored', { figure: `${(after.heartbeats - before.heartbeats) / IDLE_SECONDS}/s` })
  row('requests that failed, streams that broke', {
    figure: `${polled.failures}, ${polled.reconnects}`,
    bars: [{ text: 'none', met: polled.failures === 0 && polled.reconnects === 0 }],
  })
  if (!from || !to || !alone) return
  const share = (100 * (to.seconds - from.seconds)) / IDLE_SECONDS
  row('server: processor while idle', {
    figure: `${share.toFixed(1)}% of one core`,
    bars: [{ text: `≤ ${IDLE_BAR}%`, met: share <= IDLE_BAR }],
  })
  row('server: memory alone, with the fleet', { figure: `${mib(alone.mib)}, ${mib(to.mib)}` })
  const each = ((to.mib - alone.mib) * 1024) / RUNTIMES
  row('server: memory of a connected runtime', {
    figure: `${each.toFixed(0)} KiB`,
    bars: [{ text: `≤ ${MEMORY_BAR_KIB} KiB`, met: each <= MEMORY_BAR_KIB }],
  })
  row('database connections', { figure: String(countConnections(product)) })
}

export async function run() {
  section(`Distribution to ${RUNTIMES} runtimes over HTTP; everything on this machine`)
  const product = await startProduct(PORT)
  try {
    await measure(product)
  } finally {
    await product.stop()
  }
}
