// @ts-check
import { logger, requests } from './log.mjs'
import { metrics } from './metrics.mjs'

/** Header with the id of the request; replaces what the sender wrote. */
const REQUEST_ID = 'x-request-id'

/** Groups of paths, because a label must have few values whatever addresses strangers request. */
const ROUTES = /** @type {const} */ ([
  [/^\/api\/runtime\/v1\/([a-z]+(?:\/stream)?)$/, 'runtime/'],
  [/^\/api\/manage\//, 'manage'],
  [/^\/api\/trpc\/live\./, 'console/stream'],
  [/^\/api\/trpc\//, 'console'],
  [/^\/api\/auth\//, 'auth'],
  [/^\/api\/(?:export|import)\//, 'transfer'],
  [/^\/(?:livez|readyz|metrics|api\/health)$/, 'operations'],
  [/^\/_next\//, 'static'],
  [/^\/packages\//, 'packages'],
  [/^\/schemas\//, 'schemas'],
  [/^\/api\//, 'other api'],
])
const RUNTIME_ROUTES = new Set([
  ...['approvals', 'config', 'config/stream', 'events', 'heartbeat', 'heartbeats', 'keys'],
  'register',
])
/** Answers that continue until one of both sides ends them. @type {Set<import('node:http').ServerResponse>} */
const openStreams = new Set()

/** For a stopping server, whose other requests end on their own. */
export function endStreams() {
  for (const response of openStreams) response.socket?.destroy()
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** @param {string} address */
export function routeLabel(address) {
  const path = address.split('?', 1)[0] ?? ''
  for (const [form, label] of ROUTES) {
    const match = form.exec(path)
    if (match === null) continue
    if (label !== 'runtime/') return label
    return RUNTIME_ROUTES.has(match[1] ?? '') ? `${label}${match[1]}` : 'other api'
  }
  return 'page'
}

/** Eight digits. Not secret: bits that no one can guess took a twentieth of the time of a heartbeat. */
const randomHex = () =>
  Math.floor(Math.random() * 2 ** 32)
    .toString(16)
    .padStart(8, '0')

/** @param {import('node:http').IncomingMessage} request @param {string} id */
function noteId(request, id) {
  const raw = request.rawHeaders
  if (request.headers[REQUEST_ID] !== undefined) {
    for (let at = raw.length - 2; at >= 0; at -= 2) {
      if (raw[at]?.toLowerCase() === REQUEST_ID) raw.splice(at, 2)
    }
  }
  request.headers[REQUEST_ID] = id
  raw.push(REQUEST_ID, id)
}

/**
 * Runs `answer` with the request's id in every line that it logs.
 * @param {object} observed
 * @param {import('node:http').IncomingMessage} observed.request
 * @param {import('node:http').ServerResponse} observed.response
 * @param {string | null} observed.place its address below the prefix of this build; null: not below it
 * @param {() => void} answer
 */
export function observeRequest({ request, response, place }, answer) {
  const started = process.hrtime.bigint()
  const requestId = `req_${randomHex()}${randomHex()}`
  const route = routeLabel(place ?? '')
  const method = METHODS.has(request.method ?? '') ? (request.method ?? '') : 'other'
  const isStream = route.endsWith('/stream')
  noteId(request, requestId)
  response.setHeader(REQUEST_ID, requestId)
  if (isStream) {
    openStreams.add(response)
    metrics.streams.inc({ route })
  }
  response.once('close', () => {
    if (isStream) {
      openStreams.delete(response)
      return metrics.streams.dec({ route })
    }
    const seconds = Number(process.hrtime.bigint() - started) / 1e9
    // 499, as in proxies: the client left before there was an answer.
    const status = response.headersSent ? response.statusCode : 499
    metrics.requests.observe({ route, method, status }, seconds)
    if (route === 'runtime/events' && status >= 400) metrics.batchesRefused.inc({ status })
    const line = { requestId, route, method, status, ms: Math.round(seconds * 1000) }
    if (status >= 500) logger.error(line, 'request failed')
    else logger.debug(line, 'request')
  })
  const { signalboxTracing } = /** @type {{ signalboxTracing?: import('./traced.ts').Tracing }} */ (
    globalThis
  )
  signalboxTracing?.noteRequest({ method, route, requestId })
  const note = { requestId, isUnavailable: false }
  answerUnavailable(response, note)
  requests.run(note, answer)
}

/**
 * Next answers every failure of a page with 500. When the database went away after the page had begun, that is 503: the page may be asked for
 * again. Every 503 names a time, also those of tRPC, which has no place for headers in an error.
 * @param {import('node:http').ServerResponse} response
 * @param {import('./log.mjs').RequestNote} note
 */
function answerUnavailable(response, note) {
  const writeHead = response.writeHead.bind(response)
  response.writeHead = (/** @type {number} */ status, /** @type {any[]} */ ...rest) => {
    const known = status === 500 && note.isUnavailable ? 503 : status
    if (known === 503 && !response.hasHeader('retry-after')) response.setHeader('retry-after', '5')
    return writeHead(known, ...rest)
  }
}
