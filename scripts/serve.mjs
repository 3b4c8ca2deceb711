// @ts-check
// Answers requests of runtimes itself and passes all others to Next (decision 47). scripts/start.mjs or scripts/cluster.mjs starts it.
import cluster from 'node:cluster'
import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { format, parseArgs, stripVTControlCharacters } from 'node:util'
import next from 'next'
import { SECURITY_HEADERS } from '../server/http/security-headers.mjs'
import { logger } from '../server/platform/observability/log.mjs'
import { endStreams, observeRequest } from '../server/platform/observability/requests.mjs'
import { collectWhenQuiet } from './collect-when-quiet.mjs'
import { compress } from './compress.mjs'
import { forwardRequest, isForwarded, refuseForNow } from './forward-request.mjs'
import { precompressedAnswers } from './precompressed.mjs'

/** Time for open requests, such as a batch in transfer, to finish after a request to stop. Below the limit of scripts/start.mjs. */
const DRAIN_MS = 10_000
const SECURITY = Object.entries(SECURITY_HEADERS)
/** The same time that scripts/start.mjs waits for the first answer. */
const STARTED_WITHIN_MS = 60_000

const { values } = parseArgs({
  options: { host: { type: 'string', default: '127.0.0.1' }, port: { type: 'string' } },
})
const hostname = values.host
const port = Number(values.port)

// Output of Next and libraries becomes log lines.
for (const [name, level] of /** @type {const} */ ([
  ['log', 'info'],
  ['info', 'info'],
  ['debug', 'debug'],
  ['warn', 'warn'],
  ['error', 'error'],
])) {
  console[name] = (...texts) => logger[level](stripVTControlCharacters(format(...texts)).trim())
}

/** Path below which this build is served, such as `/guard`; empty: the root of the host. */
const prefix = process.env.SIGNALBOX_PREFIX ?? ''

/** Address without the prefix; null: not below the prefix. @param {string} address */
function toRoutePath(address) {
  if (!address.startsWith(prefix)) return null
  const place = address.slice(prefix.length)
  return place.startsWith('/') ? place : place === '' || place.startsWith('?') ? `/${place}` : null
}

const app = next({ dir: process.cwd(), dev: false, hostname, port })
await app.prepare()
const answerByNext = app.getRequestHandler()
const answerPrecompressed = precompressedAnswers('.next', SECURITY_HEADERS)

const answerRuntime = () =>
  /** @type {{ signalboxRuntimes?: http.RequestListener }} */ (globalThis).signalboxRuntimes

/** Addresses that are not pages; proxy.ts excludes the same ones. */
const NO_PAGE = /^\/(api\/|_next\/|packages\/|favicon|icon|(open|livez|readyz|metrics)$)/

const UNAVAILABLE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="refresh" content="5">
<meta name="viewport" content="width=device-width">
<title>Signalbox is not available</title>
<body style="color-scheme: light dark; font: 14px/1.6 system-ui, sans-serif; max-width: 32rem; margin: 20vh auto; padding: 0 1rem">
<h1 style="font-size: 16px">The database does not answer</h1>
<p>This page tries again every 5 seconds. Agents keep the guardrails that they have, and their events until they can send them.</p>
`

/** @param {http.IncomingMessage} request @param {http.ServerResponse} response */
async function answerPage(request, response) {
  const { signalboxDatabaseAnswers: answers } =
    /** @type {{ signalboxDatabaseAnswers?: () => Promise<boolean> }} */ (globalThis)
  if (answers === undefined || (await answers())) return await answerByNext(request, response)
  const headers = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }
  response.writeHead(503, { ...SECURITY_HEADERS, ...headers, 'retry-after': '5' }).end(UNAVAILABLE)
}

// Known only at the start, unlike the headers that the build writes into Next's answers.
const isSecure = process.env.SIGNALBOX_URL?.startsWith('https:') === true

/**
 * Address of the cell that the request belongs to; null: this one. Only where there are several cells.
 * @typedef {(request: { headers: http.IncomingHttpHeaders, place: string }) => Promise<string | null>} FindCell
 */

/** @param {http.IncomingMessage} request @param {http.ServerResponse} response @param {string | null} place */
async function answerInCell(request, response, place) {
  const { signalboxFindCell: find } = /** @type {{ signalboxFindCell?: FindCell }} */ (globalThis)
  if (find === undefined || place === null || isForwarded(request)) {
    return answer(request, response, place)
  }
  try {
    const address = await find({ headers: request.headers, place })
    if (address === null) answer(request, response, place)
    else forwardRequest(request, response, address)
  } catch {
    // The directory does not answer.
    refuseForNow(response)
  }
}

/** @param {http.IncomingMessage} request @param {http.ServerResponse} response @param {string | null} place */
function answer(request, response, place) {
  if (isSecure) response.setHeader('Strict-Transport-Security', 'max-age=31536000')
  if (place !== null && answerPrecompressed(request, response, place)) return
  // Requests of runtimes are answered in a few hundred bytes, and their streams are never compressed: the compressor cannot know either.
  const isBundle = request.method !== 'POST' && place?.includes('/stream') !== true
  if (isBundle || place?.startsWith('/api/runtime/v1/') !== true) compress(request, response)
  if (place === null) return void answerByNext(request, response)
  const runtimes = answerRuntime()
  if (!place.startsWith('/api/runtime/v1/') || runtimes === undefined) {
    return void (NO_PAGE.test(place) ? answerByNext : answerPage)(request, response)
  }
  for (const [name, value] of SECURITY) response.setHeader(name, value)
  // It uses paths without the prefix, as Next passes them.
  request.url = place
  return void runtimes(request, response)
}

/** Rejects when the start-up hook (instrumentation.ts) failed or takes too long: Next would then answer every request with an error. */
async function hookEnded() {
  const holder = /** @type {{ signalboxStarted?: Promise<void> }} */ (globalThis)
  const late = sleep(STARTED_WITHIN_MS).then(() => {
    throw new Error(`The start-up hook took longer than ${STARTED_WITHIN_MS / 1000} seconds.`)
  })
  // Next calls the hook some time after its preparation.
  while (holder.signalboxStarted === undefined) await Promise.race([sleep(20), late])
  await Promise.race([holder.signalboxStarted, late])
}

let isStopping = false

const server = http.createServer((request, response) => {
  // A kept-alive connection would continue until it is cut, and with it requests that clients still send.
  if (isStopping) response.setHeader('Connection', 'close')
  response.once('finish', () => isStopping && server.closeIdleConnections())
  const place = toRoutePath(request.url ?? '')
  observeRequest({ request, response, place }, () => void answerInCell(request, response, place))
})

// Longer than clients and proxies keep an idle connection, so that they close it first and no request is cut in transit.
server.keepAliveTimeout = 75_000

async function end() {
  const { signalboxTracing } =
    /** @type {{ signalboxTracing?: import('../server/platform/observability/traced.ts').Tracing }} */ (
      globalThis
    )
  await app.close().catch(() => undefined)
  await signalboxTracing?.end()
  process.exit(0)
}

function stop() {
  isStopping = true
  server.close(() => void end())
  endStreams()
  setTimeout(() => server.closeAllConnections(), DRAIN_MS).unref()
}
process.once('SIGTERM', stop).once('SIGINT', stop)

collectWhenQuiet()

server.once('error', (error) => {
  logger.fatal({ err: error }, 'the server cannot listen')
  process.exit(1)
})

if (cluster.isWorker) {
  process.on('message', (message) => {
    if (/** @type {{ kind?: unknown }} */ (message).kind === 'serve') server.listen(port, hostname)
  })
  try {
    await hookEnded()
    process.send?.({ kind: 'prepared' })
  } catch (error) {
    logger.fatal({ err: error }, 'this web process cannot start')
    process.exit(1)
  }
} else server.listen(port, hostname)
