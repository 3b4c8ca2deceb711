import type http from 'node:http'

const HERE = 'http://localhost'

/** Parses the target of a request. Two leading slashes are a path, not a host, and an invalid address counts as `/`. Never throws. */
export function requestUrl({ url = '/' }: Pick<http.IncomingMessage, 'url'>): URL {
  const text = url.startsWith('/') ? `${HERE}${url}` : url
  return new URL(URL.canParse(text) ? text : HERE)
}

/** A kept-alive connection would keep a closing server open until its client disconnects. */
export function endWithAnswers(server: http.Server): void {
  server.on('request', (incoming, outgoing) => {
    outgoing.once('finish', () => server.listening || incoming.socket.destroySoon())
  })
}
