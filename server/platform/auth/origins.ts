import { env } from '../base/env.ts'

/** Origin of SIGNALBOX_URL; for a loopback address also 127.0.0.1 and localhost with the same port. */
export function trustedOrigins(): readonly string[] {
  const url = new URL(env().SIGNALBOX_URL)
  const port = url.port === '' ? '' : `:${url.port}`
  const loopback = ['127.0.0.1', 'localhost'].map((host) => `${url.protocol}//${host}${port}`)
  return [...new Set([url.origin, ...loopback])]
}

/** Browsers send `Origin` with every POST, so a request without it is refused, too: only the console uses this API. */
export function isSameOrigin(headers: Headers): boolean {
  const site = headers.get('sec-fetch-site')
  if (site !== null && site !== 'same-origin') return false
  const origin = headers.get('origin')
  return origin !== null && trustedOrigins().includes(origin)
}
