// Any client can send `X-Forwarded-For`, so the address is recorded at the socket, in a header that only this process can write.
import { createHmac, randomBytes } from 'node:crypto'
import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'
import { env } from '../base/env.ts'

const HEADER = 'x-signalbox-client'
/** Header from which better-auth reads the address. Only server/http/auth.ts writes it. */
export const ADDRESS_HEADER = 'x-signalbox-address'

// Kept on globalThis because several bundles of the server contain this module. The cast only adds an optional property of our own.
const holder = globalThis as { signalboxClientMark?: string }

/** Value that proves that this process wrote the header, or another of this installation, which passed the request on. */
function ownMark(): string {
  holder.signalboxClientMark ??= randomBytes(16).toString('hex')
  return holder.signalboxClientMark
}

/** No proxy forwarded the request. */
const DIRECT = 'direct'

const LONGEST = 64
const ADDRESS = /^[0-9A-Fa-f.:]{2,64}$/

/** Each proxy appends its client's address on the right; entries further left may be forged. Null: too few, or no valid address. */
export function addressBefore(
  proxies: number,
  told: { readonly socket: string | undefined; readonly forwarded: string | undefined },
): string | null {
  const passed = (told.forwarded ?? '').split(',').map((one) => one.trim())
  const chain = [...passed.filter((one) => one !== ''), told.socket ?? '']
  const address = chain.at(-1 - proxies)?.replace(/^::ffff:(?=\d+\.)/i, '')
  return address !== undefined && address.length <= LONGEST && ADDRESS.test(address)
    ? address
    : null
}

/** Call once per process, before the first request. Behind proxies, SIGNALBOX_PROXIES has their number. */
export function recordClientAddresses(): void {
  if (holder.signalboxClientMark !== undefined) return
  const mark = createHmac('sha256', env().SIGNALBOX_AUTH_SECRET)
    .update('signalbox client address')
    .digest('hex')
  holder.signalboxClientMark = mark
  const proxies = env().SIGNALBOX_PROXIES
  subscribe('http.server.request.start', (message) => {
    // Node publishes `{ request, response, socket, server }` here.
    const { request } = message as { readonly request?: IncomingMessage }
    if (request === undefined || String(request.headers[HEADER]).startsWith(`${mark} `)) return
    const { forwarded: standard, 'x-forwarded-for': forwarded } = request.headers
    const way = forwarded === undefined && standard === undefined ? DIRECT : 'forwarded'
    const address = addressBefore(proxies, {
      socket: request.socket.remoteAddress,
      forwarded: Array.isArray(forwarded) ? forwarded.join(',') : forwarded,
    })
    const noted = `${mark} ${address ?? ''} ${way}`
    request.headers[HEADER] = noted
    // Headers are still raw here. A sender that uses this name only harms itself.
    request.rawHeaders.push(HEADER, noted)
  })
}

export type ReadHeaders = Pick<Headers, 'get'>

/** Null: not known, as in tests and where a proxy is missing. */
export function clientAddress(headers: ReadHeaders): string | null {
  const [mark, address = ''] = (headers.get(HEADER) ?? '').split(' ')
  return mark === ownMark() && address !== '' ? address : null
}

/** True when the sender itself connected to the socket. Next adds `X-Forwarded-For` to every request, so that header proves nothing. */
export function isDirect(headers: Headers): boolean {
  const [mark, , way] = (headers.get(HEADER) ?? '').split(' ')
  return mark === ownMark() && way === DIRECT
}
