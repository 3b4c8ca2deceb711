// Behavior that all our HTTP servers share.
import type http from 'node:http'

const HERE = 'http://localhost'

/** Parses the target of a request. Two leading slashes are a path, not a host, and an invalid address counts as `/`. Never throws. */
export function requestUrl({ url = '/' }: Pick<http.IncomingMessage, 'url'>): URL {
  const text = url.startsWith('/') ? `${HERE}${url}` : url
  return new URL(URL.canParse(text) ? text : HERE)
}

/**
 * Ends each connection with its last answer once the server is closing. A kept-alive connection would keep the server open until its client
 * disconnects.
 */
export function endWithAnswers(server: http.Server): void {
  server.on('request', (incoming, outgoing) => {
    outgoing.once('finish', () => server.listening || incoming.socket.destroySoon())
  })
}
