// @ts-check
import http from 'node:http'
import https from 'node:https'
import { pipeline } from 'node:stream'

/** The receiver answers itself. */
const FORWARDED = 'x-signalbox-forwarded'
const OF_CONNECTION = ['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'expect']

const AGENTS = {
  'http:': new http.Agent({ keepAlive: true }),
  'https:': new https.Agent({ keepAlive: true }),
}

/** @param {http.IncomingHttpHeaders} headers */
function withoutConnection(headers) {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !OF_CONNECTION.includes(name)),
  )
}

/** Asks the sender to repeat the request. @param {http.ServerResponse} response */
export function refuseForNow(response) {
  if (response.headersSent) return void response.destroy()
  response.writeHead(503, { 'content-type': 'application/problem+json', 'retry-after': '1' }).end(
    JSON.stringify({
      type: 'about:blank',
      status: 503,
      title: 'Unavailable',
      detail: 'The cell of the project does not answer. Send the same request again.',
    }),
  )
}

/** @param {http.IncomingMessage} request */
export const isForwarded = (request) => request.headers[FORWARDED] !== undefined

/** @param {http.IncomingMessage} request @param {http.ServerResponse} response @param {string} address of the other server */
export function forwardRequest(request, response, address) {
  const target = new URL(address)
  const { request: send } = target.protocol === 'https:' ? https : http
  const agent = target.protocol === 'https:' ? AGENTS['https:'] : AGENTS['http:']
  const headers = { ...withoutConnection(request.headers), [FORWARDED]: '1' }
  // The path stays as it came: resolved as an address, `//host/path` would lead elsewhere.
  const passed = send(target, { path: request.url, method: request.method, headers, agent })
  passed.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, withoutConnection(answer.headers))
    // A broken connection on either side ends the other.
    pipeline(answer, response, () => undefined)
  })
  passed.on('error', () => refuseForNow(response))
  response.once('close', () => passed.destroy())
  request.pipe(passed)
}
