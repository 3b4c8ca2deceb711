// Requests from the server to addresses that users entered (specs/alerts.md). An address inside the network is refused, because a user of
// one project could otherwise reach what only the server reaches. SIGNALBOX_WEBHOOK_HOSTS names the internal hosts that are allowed.
import { lookup } from 'node:dns'
import http from 'node:http'
import https from 'node:https'
import net from 'node:net'
import { signature } from './message.ts'

const TIMEOUT_MS = 5_000

const INSIDE = new net.BlockList()
for (const [address, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  INSIDE.addSubnet(address, bits, 'ipv4')
for (const [address, bits] of [
  // Includes ranges that embed an IPv4 address, whose target others determine (`::a.b.c.d`, NAT64, Teredo, 6to4), and ranges for
  // documentation.
  ['::', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['2001::', 32],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const)
  INSIDE.addSubnet(address, bits, 'ipv6')

function isInside(address: string): boolean {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  const plain = mapped ?? address
  if (net.isIPv4(plain)) return INSIDE.check(plain, 'ipv4')
  // `::ffff:` in hexadecimal is another form of such an address.
  return !net.isIPv6(plain) || /^::ffff:/i.test(plain) || INSIDE.check(plain, 'ipv6')
}

/** Returns the reason for refusing the address; null: it may be tried. The resolved IP address is checked again when connecting. */
export function checkOutboundAddress(address: string, allowed: readonly string[]): string | null {
  const url = URL.canParse(address) ? new URL(address) : null
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    return 'Give an address that begins with https:// or http://.'
  }
  if (url.username !== '' || url.password !== '')
    return 'Leave name and password out of the address.'
  if (isAllowed(url, allowed)) return null
  if (url.protocol === 'http:')
    return 'Use https://, or have the operator add the host to SIGNALBOX_WEBHOOK_HOSTS.'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return net.isIP(host) !== 0 && isInside(host) ? INSIDE_TEXT : null
}

const INSIDE_TEXT =
  'This address is inside the server’s network. The operator can allow the host with SIGNALBOX_WEBHOOK_HOSTS.'

function isAllowed({ host, hostname }: URL, allowed: readonly string[]): boolean {
  return allowed.includes(host) || allowed.includes(hostname)
}

export interface Outbound {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Hosts, with or without a port, that may be inside the network. */
  readonly allowed: readonly string[]
}

/** Returns the status. Rejects with a message for users when there is none. Follows no redirect. */
export function post({ url: address, headers, body, allowed }: Outbound): Promise<number> {
  const refusal = checkOutboundAddress(address, allowed)
  if (refusal !== null) return Promise.reject(new Error(refusal))
  const url = new URL(address)
  const request = url.protocol === 'https:' ? https.request : http.request
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method: 'POST',
        headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
        agent: false,
        signal: AbortSignal.timeout(TIMEOUT_MS),
        // The connection uses the address that was checked, because the name may resolve differently the next time.
        ...(isAllowed(url, allowed) ? {} : { lookup: lookUpOutside }),
      },
      (response) => {
        response.resume()
        resolve(response.statusCode ?? 0)
      },
    )
    sent.on('error', (error) => reject(new Error(describeFailure(error, url.host))))
    sent.end(body)
  })
}

const FAILURES: readonly (readonly [code: RegExp, describe: (host: string) => string])[] = [
  [/^(ENOTFOUND|EAI_AGAIN)$/, (host) => `No address was found for the host ${host}.`],
  [/^ECONNREFUSED$/, (host) => `${host} refused the connection.`],
  [/^(ECONNRESET|EPIPE)$/, (host) => `${host} closed the connection before it answered.`],
  [/^(EHOSTUNREACH|ENETUNREACH)$/, (host) => `No route leads from the server to ${host}.`],
  [/^ETIMEDOUT$/, (host) => `${host} did not accept the connection in time.`],
  [/^HPE_/, (host) => `${host} gave no valid HTTP answer.`],
]

/** For users, who do not know the system's codes. `error` comes from the request of `post`. */
function describeFailure(error: NodeJS.ErrnoException, host: string): string {
  if (error.name === 'AbortError') return 'No answer within 5 s.'
  const { code = '', message } = error
  const describe = FAILURES.find(([known]) => known.test(code))?.[1]
  if (describe !== undefined) return describe(host)
  // Node has dozens of codes for TLS; the message says which part of the certificate or of the protocol is wrong.
  return /^(ERR_SSL|ERR_TLS|CERT_|EPROTO|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO)/.test(code)
    ? `${host} gave no secure connection: ${message}`
    : message
}

const lookUpOutside: net.LookupFunction = (hostname, options, done) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return done(error, '', 0)
    const [first] = addresses
    if (first === undefined || addresses.some(({ address }) => isInside(address))) {
      return done(new Error(INSIDE_TEXT), '', 0)
    }
    if (options.all === true) return done(null, addresses)
    done(null, first.address, first.family)
  })
}

export const JSON_HEADERS = { 'content-type': 'application/json', 'user-agent': 'Signalbox' }

interface SignedMessage extends Omit<Outbound, 'headers'> {
  /** The same for every attempt. */
  readonly id: string
  readonly secret: string
}

/** Sends a message of Standard Webhooks. Resolves to the status, as `post` does. */
export async function postSigned({ id, secret, ...sent }: SignedMessage): Promise<number> {
  const at = Math.floor(Date.now() / 1000)
  const signed = {
    'webhook-id': id,
    'webhook-timestamp': String(at),
    'webhook-signature': signature(secret, { id, at, body: sent.body }),
  }
  return await post({ ...sent, headers: { ...JSON_HEADERS, ...signed } })
}
