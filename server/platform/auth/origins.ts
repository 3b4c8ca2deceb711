// Origins from which a browser may call the console's API: the public one, and the loopback names of its port.
import { env } from '../env.ts'

/** Origin of SIGNALBOX_URL, plus 127.0.0.1 and localhost of the same port when it is a loopback address itself. */
export function trustedOrigins(): readonly string[] {
  const url = new URL(env().SIGNALBOX_URL)
  const port = url.port === '' ? '' : `:${url.port}`
  const loopback = ['127.0.0.1', 'localhost'].map((host) => `${url.protocol}//${host}${port}`)
  return [...new Set([url.origin, ...loopback])]
}

/**
 * True when a state-changing request comes from the console's own pages. A browser always sends `Origin` with a POST, so a
 * request without it is refused too: nothing but the console uses this API.
 */
export function isSameOrigin(headers: Headers): boolean {
  const site = headers.get('sec-fetch-site')
  if (site !== null && site !== 'same-origin') return false
  const origin = headers.get('origin')
  return origin !== null && trustedOrigins().includes(origin)
}
