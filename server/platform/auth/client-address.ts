// Finds the client address of a request, for the audit log and for limits. Next gives handlers no socket, and any client can write
// `X-Forwarded-For`: so the address is noted at the socket, before Next sees the request, in a header that only this process can write.
import { randomBytes } from 'node:crypto'
import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'
import { env } from '../env.ts'

const HEADER = 'x-signalbox-client'
/** Header from which better-auth reads the address; written by server/http/auth.ts alone. */
export const ADDRESS_HEADER = 'x-signalbox-address'

// Kept on globalThis because this module is in more than one bundle of the server. The cast only adds an optional property of
// our own name.
const holder = globalThis as { signalboxClientMark?: string }

/** Proves that the header was written here. */
function ownMark(): string {
  holder.signalboxClientMark ??= randomBytes(16).toString('hex')
  return holder.signalboxClientMark
}

/** No proxy forwarded the request. */
const DIRECT = 'direct'

const LONGEST = 64
const ADDRESS = /^[0-9A-Fa-f.:]{2,64}$/

/**
 * The address in front of `proxies` trusted proxies, each of which appends the address of its client to the right of `forwarded`. Null when
 * there were fewer, or when they wrote no valid address: the first untrusted one may be anything.
 */
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

/** Once per process, before the first request. Behind proxies, SIGNALBOX_PROXIES has their number. */
export function noteClientAddresses(): void {
  if (holder.signalboxClientMark !== undefined) return
  const mark = ownMark()
  const proxies = env().SIGNALBOX_PROXIES
  subscribe('http.server.request.start', (message) => {
    // Node publishes `{ request, response, socket, server }` here; anything else is not ours to touch.
    const { request } = message as { readonly request?: IncomingMessage }
    if (request === undefined) return
    const { forwarded: standard, 'x-forwarded-for': forwarded } = request.headers
    const way = forwarded === undefined && standard === undefined ? DIRECT : 'forwarded'
    const address = addressBefore(proxies, {
      socket: request.socket.remoteAddress,
      forwarded: Array.isArray(forwarded) ? forwarded.join(',') : forwarded,
    })
    const noted = `${mark} ${address ?? ''} ${way}`
    request.headers[HEADER] = noted
    // Headers are read here in their raw form. A sender who writes this name only harms itself.
    request.rawHeaders.push(HEADER, noted)
  })
}

/** Null when it is not known: in tests, and where a proxy is missing. */
export function clientAddress(headers: Headers): string | null {
  const [mark, address = ''] = (headers.get(HEADER) ?? '').split(' ')
  return mark === ownMark() && address !== '' ? address : null
}

/** True when the sender itself reached the socket. Next adds `X-Forwarded-For` to every request, so that header is no evidence. */
export function isDirect(headers: Headers): boolean {
  const [mark, , way] = (headers.get(HEADER) ?? '').split(' ')
  return mark === ownMark() && way === DIRECT
}
