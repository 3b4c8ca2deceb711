// @ts-check
// A valid request, an invalid one, and one for each further status of every operation. Used by the tests and by `npm run soak`.
import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import {
  computeDigest,
  eventHash,
  toApprovalId,
  toDecisionId,
  toEventId,
  toStopId,
} from '@signalbox/wire'
import { ROOT } from '../build-steps.mjs'

/** @typedef {'ingest' | 'read' | 'publish' | 'sessions:read' | 'approvals:answer' | 'labels:write' | 'audit:read' | 'admin'} Scope */
/** @typedef {Readonly<Record<string, string>>} Texts */

/**
 * @typedef {object} Operation
 * @property {string} id
 * @property {string} method
 * @property {string} path with parameters in braces
 * @property {Scope | null} scope null: open to everyone
 * @property {string | null} contentType of the body; null: no body
 * @property {readonly number[]} statuses
 */

/**
 * @typedef {object} Sent
 * @property {Texts} [params]
 * @property {Texts} [query]
 * @property {Texts} [headers]
 * @property {unknown} [body] sent as JSON, unless it is text or bytes
 * @property {string} [environment] of the key; absent: dev
 */

/**
 * @typedef {object} Answer
 * @property {number} status
 * @property {Headers} headers
 * @property {string} text of a stream: its first event
 * @property {any} json null: the text is not JSON
 */

/** Derives another request from a sent one. @typedef {(sent: Sent, answer: Answer) => Sent | Promise<Sent>} Variation */

/**
 * @typedef {object} Case
 * @property {(product: ManagedProduct) => Sent | Promise<Sent>} good
 * @property {{ readonly pointer: string, readonly sent: Variation }} [bad] absent: the operation documents no 422
 * @property {Readonly<Record<number, Variation>>} [also] by documented status, besides 404 for an unknown address
 */

/** @type {readonly Scope[]} */
const SCOPES = ['ingest', 'read', 'publish', 'sessions:read', 'audit:read', 'admin']

/** Scopes that no key of an agent has. @type {readonly Scope[]} */
const JUDGING = ['approvals:answer', 'labels:write']

const FILE = path.join(ROOT, 'specs/openapi.json')

export const DOCUMENT = JSON.parse(fs.readFileSync(FILE, 'utf8'))

/** @type {readonly Operation[]} */
export const OPERATIONS = Object.entries(DOCUMENT.paths).flatMap(([address, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    id: operation.operationId,
    method: method.toUpperCase(),
    path: address,
    scope: operation['x-scope'] ?? null,
    contentType: Object.keys(operation.requestBody?.content ?? {})[0] ?? null,
    statuses: Object.keys(operation.responses).map(Number),
  })),
)

/** @param {string} id */
function operation(id) {
  const found = OPERATIONS.find((one) => one.id === id)
  if (found === undefined) throw new Error(`The document has no operation "${id}".`)
  return found
}

/** @param {unknown} body */
function serializeBody(body) {
  return typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
}

/**
 * Sends one request. `key` null: without a key.
 * @param {string} url
 * @param {Operation} operation
 * @param {{ sent: Sent, key: string | null }} request
 * @returns {Promise<Answer>}
 */
export async function send(url, { method, path: form, contentType }, { sent, key }) {
  const { params = {}, query = {}, headers = {}, body } = sent
  const address = form.replaceAll(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent(wellFormed(params[name] ?? '')),
  )
  const search = new URLSearchParams(query).toString()
  const response = await fetch(`${url}${address}${search === '' ? '' : `?${search}`}`, {
    method,
    headers: {
      ...(contentType === null ? {} : { 'content-type': contentType }),
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: /** @type {BodyInit} */ (serializeBody(body)) }),
  })
  const text = await readResponseText(response)
  return { status: response.status, headers: response.headers, text, json: parsed(text) }
}

/** @param {string} text */
const wellFormed = (text) => Buffer.from(text).toString()

/** Reads the whole text; from a stream only the first event. @param {Response} response */
async function readResponseText(response) {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  if (!isStream || response.body === null) return await response.text()
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (!text.includes('\n\n')) {
    const { done, value } = await reader.read()
    if (done) break
    text += value
  }
  await reader.cancel()
  return text
}

/** @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** @param {{ ns: string, key: string }} prompt @param {string} words */
export function configText({ ns, key }, words) {
  return JSON.stringify({
    schema_version: 1,
    ns,
    key,
    description: words,
    policies: [{ id: 'order', type: 'sequential_dependency', dependencies: { deploy: ['test'] } }],
  })
}

/** @typedef {{ ns: string, key: string, params: { ns: string, key: string }, etag: string, release: string }} MadeConfig */

export class ManagedProduct {
  /** @type {string} */
  url
  /** @type {(name: string, input: object) => Promise<any>} */
  #tell
  /** @type {Map<string, Promise<string>>} */
  #keys = new Map()
  #made = 0
  /** @type {Promise<{ session: string, decision: string, delivery: string, approval: string, stop: string }> | undefined} */
  #records

  /** @param {{ url: string, tell: (name: string, input: object) => Promise<any> }} options `tell`: calls a procedure of the console as an administrator */
  constructor({ url, tell }) {
    this.url = url
    this.#tell = tell
  }

  /**
   * Returns the same key for the same wish.
   * @param {{ environment?: string, scopes?: readonly Scope[] }} [wish] absent: in dev, every scope that a key with `ingest` may have
   */
  key({ environment = 'dev', scopes = SCOPES } = {}) {
    const name = `${environment} ${scopes.join(' ')}`
    const made =
      this.#keys.get(name) ??
      this.#tell('keys.create', {
        ...{ name, environment, scopes },
        expiresAt: scopes.includes('approvals:answer') ? Date.now() + 86_400_000 : null,
      }).then(({ secret }) => secret)
    this.#keys.set(name, made)
    return made
  }

  /** @param {Operation} operation @param {Sent} sent */
  keyFor({ scope }, { environment = 'dev' }) {
    return this.key({
      environment,
      ...(scope !== null && JUDGING.includes(scope) ? { scopes: [scope] } : {}),
    })
  }

  /** Makes later requests use new keys: each key has a limit of requests per minute. */
  forgetKeys() {
    this.#keys.clear()
  }

  /** @param {string} id @param {Sent} sent @returns {Promise<Answer>} */
  async send(id, sent) {
    const key = await this.keyFor(operation(id), sent)
    return await send(this.url, operation(id), { sent, key })
  }

  /** Rejects unless the request succeeds. @param {string} id @param {Sent} sent @returns {Promise<Answer>} */
  async #need(id, sent) {
    const answer = await this.send(id, sent)
    if (answer.status >= 300) throw new Error(`${id}: ${answer.status} ${answer.text}`)
    return answer
  }

  newPrompt() {
    this.#made += 1
    const key = `case-${randomUUID().slice(0, 8)}-${this.#made}`
    return { ns: 'cases/http', key }
  }

  /** @returns {Promise<MadeConfig>} */
  async newConfig() {
    const prompt = this.newPrompt()
    const params = { ns: prompt.ns.replaceAll('/', '~'), key: prompt.key }
    await this.#need('create-a-config', { body: { ...prompt, text: configText(prompt, 'one') } })
    const { headers } = await this.#need('read-the-draft', { params })
    return { ...prompt, params, etag: headers.get('etag') ?? '', release: '' }
  }

  /** Creates a config whose version 1 is live in dev. */
  async published() {
    return await this.#publish(await this.newConfig())
  }

  /** Creates a config with versions 1 and 2, the second live in dev. @param {object} [reach] absent: for every new session */
  async publishedTwice(reach = {}) {
    const config = await this.published()
    const body = { text: configText(config, 'two'), base_version: 1 }
    const { headers } = await this.#need('write-the-draft', {
      params: config.params,
      body,
      headers: { 'if-match': config.etag },
    })
    return await this.#publish({ ...config, etag: headers.get('etag') ?? '' }, reach)
  }

  /** Id of a rollout to a tenth of the new sessions in dev. */
  async newRollout() {
    const { release } = await this.publishedTwice({ stage: { share: 100 } })
    return release
  }

  /** @param {MadeConfig} config @param {object} [reach] absent: every new session @returns {Promise<MadeConfig>} */
  async #publish(config, reach = {}) {
    const { params, etag } = config
    const { json } = await this.#need('publish-the-draft', {
      params,
      headers: { 'if-match': etag },
      body: { environment: 'dev', ...reach },
    })
    return { ...config, release: json.id }
  }

  /** Id of a pinned case of a call that was denied in dev. */
  async newCase() {
    const session = newSession()
    await this.#need('store-events', { body: recordedLog(session) })
    const prompt = { ns: 'cases/http', key: 'recorded' }
    const { status, text } = await this.send('create-a-config', { body: prompt })
    if (status !== 201 && status !== 409) throw new Error(text)
    const { id } = await this.#tell('backtests.pin', { id: toDecisionId(session, 3) })
    return String(id)
  }

  /** Id of a claim of a config that is live nowhere. */
  async newClaim() {
    const { params } = await this.newConfig()
    return String((await this.#need('add-a-claim', { params, body: CLAIM })).json.id)
  }

  /** @returns {Promise<string>} */
  async newRuntime() {
    const { json } = await this.#need('register-a-runtime', { body: registration() })
    return json.runtime_id
  }

  /** Ids of a session with a row in every list of records, stored once. */
  records() {
    this.#records ??= this.#storeRecords()
    return this.#records
  }

  async #storeRecords() {
    const session = newSession()
    await this.#need('store-events', { body: recordedLog(session) })
    return {
      session,
      decision: toDecisionId(session, 3),
      delivery: toEventId(session, 4),
      approval: toApprovalId(session, 6),
      stop: toStopId(session, 8),
    }
  }

  /** Valid answer to a call that waits. @returns {Promise<Sent>} */
  async answer() {
    const session = newSession()
    await this.#need('store-events', { body: recordedLog(session) })
    const id = toApprovalId(session, 6)
    const { json } = await this.#need('read-a-call-approval', { params: { id } })
    return { params: { id }, body: { decision: 'denied', input: json.input, note: null } }
  }

  /** Id of a session whose runtime takes orders. */
  async newControllableSession() {
    const runtime = await this.newRuntime()
    await this.#need('send-a-heartbeat', { body: { ...heartbeat(runtime), orders: true } })
    const session = newSession()
    const started = { ns: 'cases/http', key: 'x', environment: 'dev', harness: { name: 'case' } }
    const data = { ...started, runtime }
    const event = { session, seq: 1, at: Date.now(), type: 'session.started', data }
    await this.#need('store-events', { body: `${JSON.stringify(event)}\n` })
    return session
  }

  /** Id of a session with an allowed call, event 3. */
  async newAllowedCall() {
    const session = newSession()
    await this.#need('store-events', { body: allowedLog(session, await this.published()) })
    return session
  }

  /** Id of a search for a change, which is over. */
  async newPrevention() {
    const id = await this.made('search-for-a-change-that-prevents-a-call-or-stop')
    for (let tries = 0; tries < 120; tries += 1) {
      const { json } = await this.#need('read-a-search-for-a-change', { params: { id } })
      if (json.status === 'done') return id
      await wait(500)
    }
    throw new Error('No search ended within a minute.')
  }

  /** A config with a rule that its sessions suggest: they read and write files, of which no facts are recorded. */
  async newSuggestion() {
    const { params, ...prompt } = await this.published()
    const logs = Array.from({ length: 20 }, () => fileLog(newSession(), prompt))
    await this.#need('store-events', { body: logs.join('') })
    await this.#need('search-for-rules-in-recorded-sessions', { params })
    for (let tries = 0; tries < 120; tries += 1) {
      const { json } = await this.#need('read-suggested-rules', { params })
      if (json.status === 'done')
        return { params, name: `${prompt.ns}/${prompt.key}`, id: json.rules[0].id }
      await wait(500)
    }
    throw new Error('No search ended within a minute.')
  }

  /** Parameters of a rule that is dismissed. */
  async newDismissal() {
    const { params, id } = await this.newSuggestion()
    const sent = { params: { ...params, id }, body: { reason: 'It is tested elsewhere.' } }
    await this.#need('dismiss-a-suggested-rule', sent)
    return sent.params
  }

  /** Id of an alert that fires for a blocked stop. */
  async newAlert() {
    await this.#tell('alerts.create', { ...ALERT_RULE, name: `case ${randomUUID()}` })
    await this.#need('store-events', { body: recordedLog(newSession()) })
    for (let tries = 0; tries < 120; tries += 1) {
      const { json } = await this.#need('list-alerts', { query: { limit: '1' } })
      const [row] = json.rows
      if (row !== undefined) return String(row.alert)
      await wait(500)
    }
    throw new Error('No alert fired within a minute.')
  }

  async acknowledgedAlert() {
    const id = await this.newAlert()
    const sent = { params: { id }, body: { note: null } }
    const { status, text } = await this.send('acknowledge-an-alert', sent)
    // Its other cases acknowledge the newest alert, too.
    if (status !== 204 && status !== 409) throw new Error(text)
    return id
  }

  /** Id of what the valid request of the operation makes. @param {string} id */
  async made(id) {
    const sent = await CASES[id]?.good(this)
    const { json } = await this.#need(id, sent ?? {})
    return String(json.id)
  }

  async newAnnotation() {
    const { session } = await this.records()
    const sent = { params: { id: session }, body: { seq: null, text: 'hi' } }
    const { json } = await this.#need('write-an-annotation', sent)
    return String(json.id)
  }

  /** Id of a viewer who accepted an invitation. */
  async newPerson() {
    const email = newAddress()
    const { json } = await this.#need('invite-a-person', { body: { email, role: 'viewer' } })
    const token = new URL(json.link).searchParams.get('token')
    await this.#tell('invitations.accept', {
      token,
      name: 'Case',
      password: 'correct horse battery',
    })
    const people = await this.#need('list-people', {})
    const found = people.json.rows.find(
      (/** @type {{ email: string }} */ one) => one.email === email,
    )
    return String(found.user_id)
  }

  /** Id of the newest entry of the audit log. */
  async auditEntry() {
    const { json } = await this.#need('list-audit-log', { query: { limit: '1' } })
    return String(json.rows[0].id)
  }
}

function registration() {
  return {
    name: 'case',
    sdk_version: '0.1.0',
    harness: { name: 'case' },
    prompts: ['cases/http/x'],
    capabilities: { policies: ['sequential_dependency'], feedback_providers: [], checkers: [] },
    posture: 'deny',
    now: Date.now(),
  }
}

/** @param {string} runtime */
function heartbeat(runtime) {
  return {
    runtime_id: runtime,
    now: Date.now(),
    applied: null,
    rejected: null,
    live_sessions: 0,
    spooled_events: 0,
  }
}

const newSession = () => `sess_${randomUUID().replaceAll('-', '').slice(0, 26).toUpperCase()}`

/** @param {string} session */
function event(session) {
  const at = { session, seq: 1, at: Date.now(), type: 'note', data: { text: 'hi' } }
  return `${JSON.stringify(at)}\n`
}

const ALERT_RULE = {
  signal: 'blocked_stops',
  environment: 'dev',
  ns: null,
  key: null,
  windowMinutes: 60,
  threshold: 1,
  destinations: [],
}

/** A denied call, delivered feedback, a call that waits for approval, and a blocked stop. @param {string} session */
function recordedLog(session) {
  const at = Date.now()
  const prompt = { ns: 'cases/http', key: 'recorded' }
  const call = { call_id: 'c1', tool: 'deploy' }
  const next = { call_id: 'c2', tool: 'deploy' }
  const feedback = {
    ...{ provider: 'words', name: 'words', pointer: '/feedback_providers/0', mode: 'enforce' },
    ...{ conditions: ['every_n_calls'], severity: 'info', summary: 'hi', observations: [] },
    ...{ suggestions: [], call_index: 1, prompt: 'cases/http/recorded', call_id: 'c1' },
    delivery: 'message',
  }
  const stop = {
    ...{ attempt: 1, verdict: 'blocked', prior_blocks: 0, code: 'plan.incomplete', params: {} },
    ...{ message: 'Go on.', check: null },
  }
  return chainLog({ session, at }, [
    ['session.started', { ...prompt, environment: 'dev', harness: { name: 'case' } }],
    ['tool.requested', { ...call, args: {} }],
    ['tool.decided', { ...call, decision: 'denied', reason: 'no', rules: [] }],
    ['feedback.delivered', feedback],
    ['tool.requested', { ...next, args: {} }],
    ['approval.requested', { ...next, rules: ['ask'], expires_at: at + 600_000 }],
    ['stop.attempted', { via: 'turn_end' }],
    ['stop.decided', stop],
  ])
}

/** A completed session of a config's version 1, with an allowed call. @param {string} session @param {{ ns: string, key: string }} prompt */
function allowedLog(session, { ns, key }) {
  const config = computeDigest(JSON.parse(configText({ ns, key }, 'one')))
  const call = { call_id: 'c1', tool: 'mail' }
  return chainLog({ session, at: Date.now(), config }, [
    ['session.started', { ns, key, environment: 'dev', harness: { name: 'case' } }],
    ['tool.requested', { ...call, args: {} }],
    ['tool.decided', { ...call, decision: 'allowed', reason: null, rules: [] }],
    ['tool.invoked', { ...call, outcome: 'success' }],
    ['session.ended', { reason: 'completed' }],
  ])
}

/** A completed session that reads and writes a file. @param {string} session @param {{ ns: string, key: string }} prompt */
function fileLog(session, { ns, key }) {
  const config = computeDigest(JSON.parse(configText({ ns, key }, 'one')))
  const calls = ['read_file', 'write_file'].flatMap((tool) => {
    const call = { call_id: tool, tool }
    return /** @type {const} */ ([
      ['tool.requested', { ...call, args: { path: 'notes.md' } }],
      ['tool.decided', { ...call, decision: 'allowed', reason: null, rules: [] }],
      ['tool.invoked', { ...call, outcome: 'success' }],
    ])
  })
  return chainLog({ session, at: Date.now(), config }, [
    ['session.started', { ns, key, environment: 'dev', harness: { name: 'case' } }],
    ...calls,
    ['session.ended', { reason: 'completed' }],
  ])
}

/** @param {object} envelope @param {readonly (readonly [string, object])[]} drafts */
function chainLog(envelope, drafts) {
  let prev = {}
  const lines = drafts.map(([type, data], index) => {
    const event = { ...envelope, seq: index + 1, type, data, ...prev }
    prev = { prev: eventHash(/** @type {any} */ (event)) }
    return `${JSON.stringify(event)}\n`
  })
  return lines.join('')
}

const MANAGED_RULE = {
  ...{ name: 'case', signal: 'blocked_stops', environment: 'dev', ns: null, key: null },
  ...{ window_minutes: 60, threshold: 1000, destinations: [] },
}

/** @param {(product: ManagedProduct) => Promise<string>} find @returns {Case} */
const named = (find) => ({ good: async (product) => ({ params: { id: await find(product) } }) })

/** @param {readonly object[]} configs */
function buildExport(...configs) {
  return {
    export_version: 1,
    project: 'elsewhere',
    exported_at: 1_795_000_000_000,
    environments: [],
    configs,
  }
}

/** Export of a config with this text as version 1. @param {{ ns: string, key: string }} prompt @param {string} text */
function exported({ ns, key }, text) {
  const fields = { note: null, author: null, created_at: 1_795_000_000_000 }
  const version = { number: 1, digest: computeDigest(JSON.parse(text)), text, ...fields }
  return { ns, key, archived: false, versions: [version], live: [] }
}

/** @param {object} fields @returns {Variation} */
const withBody = (fields) => (sent) => ({
  ...sent,
  body: { .../** @type {object} */ (sent.body), ...fields },
})

/** @param {Texts} headers @returns {Variation} */
const withHeaders = (headers) => (sent) => ({ ...sent, headers: { ...sent.headers, ...headers } })

/** @type {Variation} */
const withoutHeaders = ({ headers: _, ...sent }) => sent

/** @type {Variation} */
const withKnownTag = (sent, { headers }) => ({
  ...sent,
  headers: { ...sent.headers, 'if-none-match': headers.get('etag') ?? '' },
})

/** @param {Texts} query @returns {Variation} */
const withQuery = (query) => (sent) => ({ ...sent, query })

const NO_ROWS = { pointer: '/limit', sent: withQuery({ limit: '0' }) }
const OTHER_DRAFT = withHeaders({ 'if-match': '"drf_another.1"' })

/** The same request for an object that does not exist, if the path has parameters. @type {Variation} */
export const elsewhere = ({ params = {}, ...sent }) => {
  const [last = ''] = Object.keys(params).slice(-1)
  return { ...sent, params: { ...params, [last]: last === 'number' ? '2147483647' : 'nowhere' } }
}

const DEMANDS = {
  ...{ requires_note: false, requires_typed_name: false, required_approvals: 0 },
  ...{ rollback_skips_approval: true, requires_backtest: false },
}

const newAddress = () => `${randomUUID()}@example.test`
/** Nothing answers at this address. */
const STREAM = {
  ...{ name: 'case', url: 'https://hooks.invalid/', audit: false, decisions: true },
  environment: 'dev',
}
const newStream = () => ({ ...STREAM, name: `case ${randomUUID()}` })
const newEnvironment = () => `e-${randomUUID().slice(0, 8)}`
/** @type {Variation} */
const same = (sent) => sent

/** Operations on the settings of a project. @type {Readonly<Record<string, Case>>} */
const PROJECT_CASES = {
  'list-keys': { good: () => ({}) },
  'create-a-key': {
    good: () => ({ body: { name: 'case', environment: 'dev', scopes: ['read'] } }),
    bad: { pointer: '/scopes/0', sent: withBody({ scopes: ['everything'] }) },
  },
  'rotate-a-key': {
    good: async (product) => ({
      params: { id: await product.made('create-a-key') },
      body: { overlap_hours: 1 },
    }),
    bad: { pointer: '/overlap_hours', sent: withBody({ overlap_hours: -1 }) },
    also: { 409: same },
  },
  'revoke-a-key': named((product) => product.made('create-a-key')),
  'list-people': { good: () => ({}) },
  'change-the-role-of-a-person': {
    good: async (product) => ({
      params: { id: await product.newPerson() },
      body: { role: 'editor' },
    }),
    bad: { pointer: '/role', sent: withBody({ role: 'owner' }) },
  },
  'remove-a-person': named((product) => product.newPerson()),
  'list-invitations': { good: () => ({}) },
  'invite-a-person': {
    good: () => ({ body: { email: newAddress(), role: 'viewer' } }),
    bad: { pointer: '/email', sent: withBody({ email: 'nobody' }) },
    also: { 409: withBody({ email: 'bench@example.test' }) },
  },
  'revoke-an-invitation': named((product) => product.made('invite-a-person')),
  'read-the-project': { good: () => ({}) },
  'rename-the-project': {
    good: () => ({ body: { name: 'Cases' } }),
    bad: { pointer: '/name', sent: withBody({ name: '' }) },
  },
  'create-an-environment': {
    good: () => ({ body: { ...DEMANDS, name: newEnvironment() } }),
    bad: { pointer: '/required_approvals', sent: withBody({ required_approvals: 6 }) },
    also: { 409: same },
  },
  'change-the-requirements-of-the-environment': {
    good: () => ({ params: { name: 'dev' }, body: DEMANDS }),
    bad: { pointer: '/requires_note', sent: withBody({ requires_note: 'yes' }) },
  },
  'list-alert-rules': { good: () => ({}) },
  'create-an-alert-rule': {
    good: () => ({ body: MANAGED_RULE }),
    bad: { pointer: '/key', sent: withBody({ ns: 'half' }) },
  },
  'change-an-alert-rule': {
    good: async (product) => ({
      params: { id: await product.made('create-an-alert-rule') },
      body: MANAGED_RULE,
    }),
    bad: { pointer: '/threshold', sent: withBody({ threshold: 0 }) },
  },
  'remove-an-alert-rule': named((product) => product.made('create-an-alert-rule')),
  'mute-an-alert-rule': {
    good: async (product) => ({
      params: { id: await product.made('create-an-alert-rule') },
      body: { until: null },
    }),
    bad: { pointer: '/until', sent: withBody({ until: 'later' }) },
  },
  'enable-or-disable-an-alert-rule': {
    good: async (product) => ({
      params: { id: await product.made('create-an-alert-rule') },
      body: { enabled: false },
    }),
    bad: { pointer: '/enabled', sent: withBody({ enabled: 'no' }) },
  },
  'test-an-alert-rule': named((product) => product.made('create-an-alert-rule')),
  'read-the-secret-of-an-alert-rule': named((product) => product.made('create-an-alert-rule')),
  'acknowledge-an-alert': {
    good: async (product) => ({ params: { id: await product.newAlert() }, body: { note: null } }),
    bad: { pointer: '/note', sent: withBody({ note: 7 }) },
    also: { 409: same },
  },
  'unacknowledge-an-alert': {
    ...named((product) => product.acknowledgedAlert()),
    also: { 409: same },
  },
  'list-webhook-streams': { good: () => ({}) },
  'create-a-webhook-stream': {
    good: () => ({ body: newStream() }),
    bad: { pointer: '/audit', sent: withBody({ decisions: false, environment: null }) },
    also: { 409: same },
  },
  'change-a-webhook-stream': {
    good: async (product) => {
      // Another has the name already when this runs again.
      await product.send('create-a-webhook-stream', { body: STREAM })
      const params = { id: await product.made('create-a-webhook-stream') }
      return { params, body: newStream() }
    },
    bad: { pointer: '/url', sent: withBody({ url: 'http://127.0.0.1/' }) },
    also: { 409: withBody({ name: STREAM.name }) },
  },
  'remove-a-webhook-stream': named((product) => product.made('create-a-webhook-stream')),
  'resume-a-webhook-stream': named((product) => product.made('create-a-webhook-stream')),
  'test-a-webhook-stream': named((product) => product.made('create-a-webhook-stream')),
  'read-the-secret-of-a-webhook-stream': named((product) =>
    product.made('create-a-webhook-stream'),
  ),
  'search-for-a-change-that-prevents-a-call-or-stop': {
    good: async (product) => ({ params: { id: await product.newAllowedCall() }, body: { seq: 3 } }),
    bad: { pointer: '/seq', sent: withBody({ seq: 1 }) },
  },
  'read-a-search-for-a-change': named((product) => product.newPrevention()),
  'cancel-a-search-for-a-change': named((product) => product.newPrevention()),
  'take-a-change-that-a-search-found': {
    good: async (product) => ({
      params: { id: await product.newPrevention() },
      body: { candidate: 1 },
    }),
    bad: { pointer: '/candidate', sent: withBody({ candidate: 9 }) },
    also: { 409: same },
  },
  'read-suggested-rules': {
    good: async (product) => ({ params: (await product.newSuggestion()).params }),
  },
  'search-for-rules-in-recorded-sessions': {
    good: async (product) => ({ params: (await product.newConfig()).params }),
  },
  'cancel-a-search-for-rules': {
    good: async (product) => ({ params: (await product.newSuggestion()).params }),
  },
  'take-suggested-rules': {
    good: async (product) => {
      const { params, id } = await product.newSuggestion()
      return { params, body: { ids: [id] } }
    },
    bad: { pointer: '/ids', sent: withBody({ ids: [] }) },
    also: { 409: same },
  },
  'dismiss-a-suggested-rule': {
    good: async (product) => {
      const { params, id } = await product.newSuggestion()
      return { params: { ...params, id }, body: { reason: 'It is tested elsewhere.' } }
    },
    bad: { pointer: '/reason', sent: withBody({ reason: '' }) },
  },
  'restore-a-dismissed-rule': {
    good: async (product) => ({ params: await product.newDismissal() }),
  },
  'list-the-labels-of-a-session': named(async (product) => (await product.records()).session),
  'label-a-session-call-or-stop': {
    good: async (product) => ({
      params: { id: (await product.records()).session },
      body: { seq: 0, label: 'bad' },
    }),
    bad: { pointer: '/label', sent: withBody({ seq: 0, label: 'fine' }) },
  },
  'list-the-annotations-of-a-session': named(async (product) => (await product.records()).session),
  'write-an-annotation': {
    good: async (product) => ({
      params: { id: (await product.records()).session },
      body: { seq: 1, text: 'hi' },
    }),
    bad: { pointer: '/text', sent: withBody({ text: '' }) },
  },
  'change-an-annotation': {
    good: async (product) => ({
      params: { id: await product.newAnnotation() },
      body: { text: 'again' },
    }),
    bad: { pointer: '/text', sent: withBody({ text: 7 }) },
  },
  'remove-an-annotation': named((product) => product.newAnnotation()),
}

const CLAIM = {
  question: { ask: 'run_without', tool: 'deploy', needs: 'test' },
  expect: 'never',
}

/** By operation id. @type {Readonly<Record<string, Case>>} */
export const CASES = {
  'list-configs': { good: () => ({ query: { limit: '2', archived: 'false' } }), bad: NO_ROWS },
  'create-a-config': {
    good: (product) => {
      const prompt = product.newPrompt()
      return { body: { ...prompt, text: configText(prompt, 'one') } }
    },
    bad: { pointer: '/key', sent: withBody({ key: 'no name' }) },
    also: { 409: (sent) => sent },
  },
  'read-a-config': { good: async (product) => ({ params: (await product.published()).params }) },
  'archive-or-restore-a-config': {
    good: async (product) => ({
      params: (await product.newConfig()).params,
      body: { archived: true },
    }),
    bad: { pointer: '/archived', sent: withBody({ archived: 'yes' }) },
    also: { 409: (sent) => ({ ...sent, params: { ns: 'demo', key: 'release-notes' } }) },
  },
  'read-the-draft': { good: async (product) => ({ params: (await product.newConfig()).params }) },
  'write-the-draft': {
    good: async (product) => {
      const { params, etag } = await product.newConfig()
      return { params, headers: { 'if-match': etag }, body: { text: '{' } }
    },
    bad: { pointer: '/text', sent: withBody({ text: 7 }) },
    also: { 412: OTHER_DRAFT, 428: withoutHeaders },
  },
  'list-versions': {
    good: async (product) => ({
      params: (await product.published()).params,
      query: { limit: '2' },
    }),
    bad: NO_ROWS,
  },
  'read-a-version': {
    good: async (product) => ({ params: { ...(await product.published()).params, number: '1' } }),
    also: { 304: withKnownTag },
  },
  'read-where-the-rules-come-from': {
    good: async (product) => ({ params: (await product.published()).params }),
  },
  'read-the-mandatory-base': { good: () => ({}) },
  'compare-in-words': {
    good: async (product) => {
      const config = await product.published()
      const to = { text: configText(config, 'two') }
      return { params: config.params, body: { from: { environment: 'dev' }, to } }
    },
    bad: { pointer: '/from', sent: withBody({ from: {} }) },
  },
  'check-a-text': {
    good: () => ({ body: { text: configText({ ns: 'a', key: 'b' }, 'one') } }),
    bad: { pointer: '/text', sent: withBody({ text: 7 }) },
  },
  'publish-the-draft': {
    good: async (product) => {
      const { params, etag } = await product.newConfig()
      const headers = { 'if-match': etag, 'idempotency-key': randomUUID() }
      return { params, headers, body: { environment: 'dev', note: 'first' } }
    },
    bad: { pointer: '/environment', sent: withBody({ environment: 7 }) },
    also: {
      // The draft is already published.
      409: withHeaders({ 'idempotency-key': 'another' }),
      412: withHeaders({ 'if-match': '"drf_another.1"', 'idempotency-key': 'another' }),
      428: withoutHeaders,
    },
  },
  'promote-a-version': {
    good: async (product) => ({
      environment: 'staging',
      params: (await product.published()).params,
      body: { from: 'dev', to: 'staging', expected_live: null },
    }),
    bad: { pointer: '/from', sent: withBody({ from: undefined }) },
    also: { 409: withBody({ expected_live: 7 }) },
  },
  'roll-back': {
    good: async (product) => ({
      params: (await product.publishedTwice()).params,
      body: { environment: 'dev', to: 1, expected_live: 2 },
    }),
    bad: { pointer: '/to', sent: withBody({ to: 0 }) },
    also: { 409: withBody({ expected_live: 7 }) },
  },
  'list-the-rollouts-of-a-config': {
    good: async (product) => ({ params: (await product.published()).params }),
  },
  'change-the-share-of-a-staged-rollout': {
    good: async (product) => ({
      params: { id: await product.newRollout() },
      body: { share: 200, note: 'as good as before' },
    }),
    bad: { pointer: '/share', sent: withBody({ share: 1000 }) },
    also: { 409: same },
  },
  'stop-a-rollout': {
    good: async (product) => ({
      params: { id: await product.newRollout() },
      body: { note: 'denies too much' },
    }),
    bad: { pointer: '/note', sent: withBody({ note: 7 }) },
    also: { 409: same },
  },
  'set-the-shadow-version': {
    good: async (product) => ({
      params: (await product.publishedTwice()).params,
      body: { environment: 'dev', version: 1 },
    }),
    bad: { pointer: '/version', sent: withBody({ version: 0 }) },
    also: { 409: withBody({ version: 2 }) },
  },
  'list-backtests': { good: async (product) => ({ params: (await product.newConfig()).params }) },
  'start-a-backtest': {
    good: async (product) => {
      const { params, etag } = await product.newConfig()
      return { params, headers: { 'if-match': etag }, body: { sample: { kind: 'cases' } } }
    },
    bad: { pointer: '/sample/sessions', sent: withBody({ sample: { kind: 'last', sessions: 0 } }) },
    also: { 412: OTHER_DRAFT, 428: withoutHeaders },
  },
  'read-a-backtest': named((product) => product.made('start-a-backtest')),
  'cancel-a-backtest': named((product) => product.made('start-a-backtest')),
  'list-pinned-cases': {
    good: async (product) => ({ params: (await product.newConfig()).params }),
  },
  'change-a-pinned-case': {
    good: async (product) => ({
      params: { id: await product.newCase() },
      body: { expected: 'allowed', note: 'safe now' },
    }),
    bad: { pointer: '/expected', sent: withBody({ expected: 'blocked' }) },
  },
  'unpin-a-case': named((product) => product.newCase()),
  'list-claims': { good: async (product) => ({ params: (await product.newConfig()).params }) },
  'add-a-claim': {
    good: async (product) => ({ params: (await product.newConfig()).params, body: CLAIM }),
    bad: { pointer: '/expect', sent: withBody({ expect: 'always' }) },
    also: { 409: withBody({ expect: 'possible' }) },
  },
  'remove-a-claim': named((product) => product.newClaim()),
  'list-releases': { good: () => ({ query: { environment: 'dev', limit: '2' } }), bad: NO_ROWS },
  'read-how-far-a-release-has-got': {
    good: async (product) => ({ params: { id: (await product.published()).release } }),
  },
  ...Object.fromEntries(
    ['sessions', 'stops', 'decisions', 'feedback', 'alerts', 'runtimes', 'audit-log'].map(
      (name) => [`list-${name}`, { good: () => ({ query: { limit: '2' } }), bad: NO_ROWS }],
    ),
  ),
  'read-a-session': named(async (product) => (await product.records()).session),
  'list-the-events-of-a-session': {
    ...named(async (product) => (await product.records()).session),
    bad: NO_ROWS,
  },
  'read-a-stop': named(async (product) => (await product.records()).stop),
  'read-a-decision': named(async (product) => (await product.records()).decision),
  'read-a-delivery': named(async (product) => (await product.records()).delivery),
  'read-an-alert': named((product) => product.newAlert()),
  'read-a-runtime': named((product) => product.newRuntime()),
  'read-an-audit-entry': named((product) => product.auditEntry()),
  'list-call-approvals': {
    good: () => ({}),
    bad: { pointer: '/state', sent: withQuery({ state: 'some' }) },
  },
  'read-a-call-approval': named(async (product) => (await product.records()).approval),
  'answer-a-call-approval': {
    good: (product) => product.answer(),
    bad: { pointer: '/decision', sent: withBody({ decision: 'perhaps' }) },
    also: { 409: same },
  },
  ...PROJECT_CASES,
  'pause-resume-or-end-a-session': {
    good: async (product) => ({
      params: { id: await product.newControllableSession() },
      body: { action: 'pause', reason: 'Wait for the review.' },
    }),
    bad: { pointer: '/reason', sent: withBody({ reason: '' }) },
    also: { 409: same },
  },
  'list-environments': { good: () => ({}) },
  'export-the-project': {
    good: () => ({ query: { cases: 'false' } }),
    bad: { pointer: '/cases', sent: withQuery({ cases: 'some' }) },
  },
  'import-configs': {
    good: (product) => {
      const prompt = product.newPrompt()
      const document = buildExport(exported(prompt, configText(prompt, 'one')))
      return { body: { dry_run: false, document } }
    },
    bad: {
      pointer: '/document/export_version',
      sent: withBody({ document: { ...buildExport(), export_version: 2 } }),
    },
    also: {
      409: (sent) => {
        const { document } = /** @type {{ document: ReturnType<typeof buildExport> }} */ (sent.body)
        const [config] = /** @type {readonly { ns: string, key: string }[]} */ (document.configs)
        if (config === undefined) throw new Error('The good request imports no config.')
        const other = buildExport(exported(config, configText(config, 'other')))
        return { ...sent, body: { dry_run: false, document: other } }
      },
    },
  },
  'read-the-signed-bundle': { good: () => ({}), also: { 304: withKnownTag } },
  'be-told-of-new-revisions': { good: () => ({ query: { push: 'bundle', parts: 'candidate' } }) },
  'read-the-records-of-signing-keys': { good: () => ({}), also: { 304: withKnownTag } },
  'register-a-runtime': {
    good: () => ({ body: registration() }),
    bad: { pointer: '/now', sent: withBody({ now: 'noon' }) },
  },
  'send-a-heartbeat': {
    good: async (product) => ({ body: heartbeat(await product.newRuntime()) }),
    bad: { pointer: '/now', sent: withBody({ now: 'noon' }) },
    also: { 404: withBody({ runtime_id: 'rt_UNKNOWN' }) },
  },
  'send-heartbeats-of-several-runtimes': {
    good: async (product) => ({ body: { heartbeats: [heartbeat(await product.newRuntime())] } }),
    bad: { pointer: '/heartbeats/0/now', sent: withBody({ heartbeats: [{ now: 'noon' }] }) },
  },
  'present-a-newer-bundle': {
    good: async (product) => {
      const { text, headers } = await product.send('read-the-signed-bundle', {})
      return { body: { text, signature: headers.get('signalbox-signature') } }
    },
    bad: { pointer: '/signature', sent: withBody({ signature: 7 }) },
  },
  'store-events': {
    good: () => ({ body: event(newSession()) }),
    also: {
      400: withHeaders({ 'content-encoding': 'gzip' }),
      // 66 MiB inflated, in lines of allowed length.
      413: () => ({
        headers: { 'content-encoding': 'gzip' },
        body: gzipSync(`${'x'.repeat(200_000)}\n`.repeat(350)),
      }),
      415: withHeaders({ 'content-encoding': 'br' }),
    },
  },
  'wait-for-a-person-s-answer': {
    good: () => ({
      body: {
        session: newSession(),
        seq: 3,
        call_id: 'c1',
        tool: 'deploy',
        input: `sha256:${'0'.repeat(64)}`,
        time_left_ms: 0,
        hold_ms: 0,
      },
    }),
    bad: { pointer: '/hold_ms', sent: withBody({ hold_ms: 'long' }) },
  },
  'ask-whether-the-server-works': { good: () => ({}) },
  'read-this-description': { good: () => ({}) },
}

/** Scopes of a key that lacks the required one. @type {Readonly<Record<Scope, readonly Scope[]>>} */
export const TOO_LITTLE = {
  read: ['ingest'],
  ingest: ['read'],
  publish: ['ingest', 'read'],
  'sessions:read': ['ingest', 'read', 'publish', 'audit:read', 'admin'],
  'approvals:answer': ['ingest', 'read', 'publish', 'sessions:read', 'audit:read', 'admin'],
  'labels:write': ['ingest', 'read', 'publish', 'sessions:read', 'audit:read', 'admin'],
  'audit:read': ['ingest', 'read', 'publish', 'sessions:read', 'admin'],
  admin: ['ingest', 'read', 'publish', 'sessions:read', 'audit:read'],
}
