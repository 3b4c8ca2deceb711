import { createHash, timingSafeEqual } from 'node:crypto'
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

/** null: larger than `maxBytes`. */
export async function readBody(
  request: http.IncomingMessage,
  maxBytes: number,
): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    // An oversized body is read to its end, so that the sender receives the answer.
    if (bytes <= maxBytes) chunks.push(chunk)
    else chunks.length = 0
  }
  return bytes > maxBytes ? null : Buffer.concat(chunks)
}

/** Empty: the request has no bearer token. */
export function readBearer({ headers }: Pick<http.IncomingMessage, 'headers'>): string {
  return /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? ''
}

/** Compares in constant time, for secrets of any length. */
export function isSameSecret(given: string, secret: string): boolean {
  return timingSafeEqual(hashSecret(given), hashSecret(secret))
}

function hashSecret(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
