// Behavior shared by all our HTTP servers, for every caller.
import type http from 'node:http'

const HERE = 'http://localhost'

/** Parses the target of a request. A path that begins with two slashes is no host, and an invalid address has no route. Never throws. */
export function requestUrl({ url = '/' }: Pick<http.IncomingMessage, 'url'>): URL {
  const text = url.startsWith('/') ? `${HERE}${url}` : url
  return new URL(URL.canParse(text) ? text : HERE)
}

/**
 * Once it is closing, each connection ends with its last answer: a kept-alive one would keep the server open until its client disconnects.
 */
export function endWithAnswers(server: http.Server): void {
  server.on('request', (incoming, outgoing) => {
    outgoing.once('finish', () => server.listening || incoming.socket.destroySoon())
  })
}
