// Each registers, keeps the stream open, polls with its ETag, verifies every bundle, and reports by heartbeat, at the server's intervals.
// Compiles no rules, writes nothing to disk, and verifies signatures with OpenSSL instead of the packaged Ed25519.
import { createHash, createPublicKey, verify } from 'node:crypto'
import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { retryMs } from '../packages/runtime/dist/base/backoff.js'
import { describeCapabilities } from '../packages/runtime/dist/control-plane/capabilities.js'
import { BUNDLE_PARTS } from '../packages/wire/dist/index.js'

const { url, apiKey, count, prefix, push, connections } = JSON.parse(process.argv[2] ?? '{}')
/** Below the time that the server keeps an idle connection (75 s), as in a runtime's fetch, which follows the server's header. */
const KEPT_MS = 60_000
const PARTS = `parts=${BUNDLE_PARTS.join(',')}`
/** Runtimes from before decision 48 are only notified. */
const PUSH = push ? `?push=bundle&${PARTS}` : ''
const authorization = `Bearer ${apiKey}`
/** The values of packages/runtime/src/control-plane/follow-notifications.ts, in milliseconds. */
const STEADY_MS = 5000
const SPREAD_MS = 3000
/** A separate process would have its own connections. `connections`: all runtimes share as many, for more of them than files are allowed. */
const shared =
  connections === undefined
    ? null
    : new http.Agent({ keepAlive: true, timeout: KEPT_MS, maxSockets: connections })
const tally = {
  polls: 0,
  unchanged: 0,
  bundles: 0,
  pushed: 0,
  heartbeats: 0,
  failures: 0,
  cut: 0,
  /** Requests answered with 429 or 503. */
  refused: 0,
  reconnects: 0,
  opened: 0,
  streams: 0,
}
const keys = new Map()
let stopped = false

/** Retries once after a cut connection: all of these requests may be sent twice. */
function ask(method, path, options) {
  return askOnce(method, path, options).catch((error) => {
    tally.cut += 1
    if (stopped) throw error
    return askOnce(method, path, options)
  })
}

function askOnce(method, path, { agent, body, headers }) {
  return new Promise((resolve, reject) => {
    const request = http.request(`${url}/api/runtime/v1/${path}`, {
      method,
      agent,
      headers: {
        authorization,
        ...headers,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
    })
    request.on('error', reject)
    request.on('response', (answer) => {
      const chunks = []
      answer.on('data', (chunk) => chunks.push(chunk))
      answer.on('end', () =>
        resolve({
          status: answer.statusCode,
          headers: answer.headers,
          text: Buffer.concat(chunks).toString(),
        }),
      )
      answer.on('error', reject)
    })
    request.end(body)
  })
}

function isSigned(text, signature, publicKey) {
  let key = keys.get(publicKey)
  if (key === undefined) {
    key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey }, format: 'jwk' })
    keys.set(publicKey, key)
  }
  return verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64url'))
}

/** Empty: the answer demands no pause. */
function readRetryAfter({ headers }) {
  const seconds = Number(headers['retry-after'] ?? 0)
  return seconds > 0 ? { retryAfterMs: seconds * 1000 } : {}
}

class SimulatedRuntime {
  constructor(index) {
    this.agent = shared ?? new http.Agent({ keepAlive: true, timeout: KEPT_MS })
    this.name = `${prefix}-${index}`
    this.applied = null
    this.isPolling = false
    this.isDue = false
    this.lostStreams = 0
    this.isRecovering = false
    // A tenth of a fleet has wrong clocks.
    this.skewMs = index % 10 === 0 ? (index % 20 === 0 ? 86_400_000 : -86_400_000) : 0
  }

  ask(method, path, options) {
    return ask(method, path, { ...options, agent: this.agent })
  }

  async start() {
    const body = JSON.stringify({
      name: this.name,
      sdk_version: '0.1.0',
      harness: { name: 'bench' },
      prompts: ['demo/release-notes'],
      capabilities: describeCapabilities({}),
      posture: 'last_known_good',
      now: Date.now() + this.skewMs,
    })
    this.place = JSON.parse((await this.askUntilAdmitted('POST', 'register', { body })).text)
    await this.poll()
    this.listen()
    this.later(this.place.poll_seconds, 0.2, () => this.poll())
    this.later(this.place.heartbeat_seconds, 0.1, () => this.heartbeat())
  }

  async askUntilAdmitted(method, path, options) {
    for (let attempt = 1; ; attempt++) {
      const answer = await this.ask(method, path, options)
      if (answer.status === 200 || answer.status === 304) return answer
      if (answer.status !== 429 && answer.status !== 503)
        throw new Error(`${path}: ${answer.status} ${answer.text}`)
      tally.refused += 1
      await sleep(retryMs(readRetryAfter(answer), attempt, Math.random()))
    }
  }

  later(seconds, jitter, act) {
    const ms = seconds * 1000 * (1 - jitter + 2 * jitter * Math.random())
    setTimeout(() => {
      if (stopped) return
      act()
        .catch(() => {
          tally.failures += 1
          return this.recover()
        })
        .finally(() => this.later(seconds, jitter, act))
    }, ms).unref()
  }

  async recover() {
    if (this.isRecovering) return
    this.isRecovering = true
    for (let attempt = 1; !stopped; attempt++) {
      await sleep(retryMs({}, attempt, Math.random()))
      const isBack = await this.poll().then(
        () => true,
        () => false,
      )
      if (isBack) break
    }
    this.isRecovering = false
  }

  listen() {
    tally.opened += 1
    const began = performance.now()
    let refusal = {}
    let isOver = false
    const request = http.request(`${url}/api/runtime/v1/config/stream${PUSH}`, {
      agent: false,
      headers: { authorization, accept: 'text/event-stream' },
    })
    const again = () => {
      if (stopped || isOver) return
      isOver = true
      tally.reconnects += 1
      const wasSteady = performance.now() - began > STEADY_MS
      this.lostStreams = wasSteady ? 0 : this.lostStreams + 1
      const random = Math.random()
      const pause = wasSteady ? random * SPREAD_MS : retryMs(refusal, this.lostStreams, random)
      setTimeout(() => this.listen(), pause).unref()
    }
    request.on('error', again)
    request.on('response', (answer) => {
      if (answer.statusCode !== 200) {
        tally.refused += 1
        refusal = readRetryAfter(answer)
        answer.resume()
        answer.on('close', again)
        return
      }
      tally.streams += 1
      answer.on('close', () => {
        tally.streams -= 1
      })
      const decoder = new TextDecoder()
      let text = ''
      answer.on('data', (chunk) => {
        const events = (text + decoder.decode(chunk, { stream: true })).split('\n\n')
        text = events.pop() ?? ''
        for (const event of events) this.handleEvent(event)
      })
      answer.on('close', again)
      answer.on('error', () => undefined)
    })
    request.end()
  }

  handleEvent(event) {
    const [, kind, id, data] = /^event: (\w+)\nid: (\d+)\ndata: (.*)$/.exec(event) ?? []
    if (!(Number(id) > (this.applied?.revision ?? -1))) return
    const fails = () => {
      tally.failures += 1
    }
    if (kind === 'revision') this.poll().catch(fails)
    if (kind !== 'bundle') return
    const { text, signature } = JSON.parse(data)
    tally.pushed += 1
    this.apply(text, signature)
    this.heartbeat().catch(fails)
  }

  async poll() {
    if (this.isPolling) {
      this.isDue = true
      return
    }
    this.isPolling = true
    try {
      do {
        this.isDue = false
        await this.pollOnce()
      } while (this.isDue)
    } finally {
      this.isPolling = false
    }
  }

  async pollOnce() {
    const headers = this.applied === null ? {} : { 'if-none-match': `"${this.applied.digest}"` }
    const answer = await this.ask('GET', `config?${PARTS}`, { headers })
    tally.polls += 1
    if (answer.status === 304) {
      tally.unchanged += 1
      return
    }
    if (answer.status !== 200) throw new Error(`config: ${answer.status}`)
    tally.bundles += 1
    this.apply(answer.text, answer.headers['signalbox-signature'])
    await this.heartbeat()
  }

  apply(text, signature) {
    if (!isSigned(text, signature, this.place.public_key))
      throw new Error('a bundle with a wrong signature')
    const { revision } = JSON.parse(text)
    if (revision < (this.applied?.revision ?? 0)) throw new Error('an older bundle')
    const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`
    this.applied = { revision, digest }
  }

  /** `isLast`: the final heartbeat of a closing runtime; without it, the runtime counts as connected until it is stale. */
  async heartbeat(isLast = false) {
    const { applied } = this
    const body = JSON.stringify({
      runtime_id: this.place.runtime_id,
      now: Date.now() + this.skewMs,
      applied: applied && { ...applied, source: 'server' },
      rejected: null,
      live_sessions: 1,
      spooled_events: 0,
      ...(isLast ? { stopping: true } : {}),
    })
    const answer = await this.ask('POST', 'heartbeat', { body })
    if (answer.status !== 200) throw new Error(`heartbeat: ${answer.status}`)
    tally.heartbeats += 1
    // The server has stored the report, so the console shows "applied" from now on.
    if (applied !== null && this.reported !== applied.revision) {
      this.reported = applied.revision
      process.send({ kind: 'applied', revision: applied.revision, at: Date.now() })
    }
  }
}

process.on('message', (message) => {
  if (message === 'tally') process.send({ kind: 'tally', tally: { ...tally } })
  if (message === 'poll') {
    const polls = fleet.map((runtime) => runtime.poll())
    void Promise.allSettled(polls).then(() => process.send({ kind: 'polled' }))
  }
  if (message === 'stop') {
    stopped = true
    const lastHeartbeats = fleet.map((runtime) => runtime.heartbeat(true))
    void Promise.allSettled(lastHeartbeats).then(() => process.exit(0))
  }
})

const fleet = Array.from({ length: count }, (_, index) => new SimulatedRuntime(index))
// Twenty at a time, like a deployment.
let next = 0
const startOneByOne = async () => {
  while (next < fleet.length) await fleet[next++].start()
}
await Promise.all(Array.from({ length: 20 }, startOneByOne))
process.send({ kind: 'ready' })
setInterval(() => undefined, 60_000)
