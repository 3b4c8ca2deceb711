import { MAX_BATCH_BYTES, MAX_COMPRESSED_BYTES } from '@signalbox/wire'
import type { KeptAnswer } from './kept-answers.ts'
import { RELAY_AWAY } from './upstream.ts'

export interface RelayAnswer {
  readonly status: number
  readonly headers?: { readonly [name: string]: string }
  readonly body?: string | Buffer
}

const RETRY_AFTER_S = '5'
const FULL_RETRY_AFTER_S = '10'
const MIB = 1024 * 1024
const KEPT_HEADERS = ['etag', 'content-type', 'signalbox-revision', 'signalbox-signature']

export function served(
  { body, headers }: KeptAnswer,
  ifNoneMatch: string | undefined,
): RelayAnswer {
  const { etag } = headers
  const known = (ifNoneMatch ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  if (etag !== undefined && known.includes(etag)) return { status: 304, headers }
  return { status: 200, headers, body }
}

export function pickHeaders(headers: Headers): { readonly [name: string]: string } {
  const names = [...KEPT_HEADERS, 'retry-after', 'cache-control']
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers.get(name)
      return value === null ? [] : [[name, value] as const]
    }),
  )
}

export function json(status: number, value: object): RelayAnswer {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  return { status, headers, body: JSON.stringify(value) }
}

/** RFC 9457, like the server's problems. */
export function problem(
  { status, title, retryAfter }: { status: number; title: string; retryAfter?: string },
  detail: string,
): RelayAnswer {
  return {
    status,
    headers: {
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }),
    },
    body: JSON.stringify({ type: 'about:blank', title, status, detail }),
  }
}

export function away(detail: string): RelayAnswer {
  const { headers, ...answer } = problem(
    { status: 503, title: 'Unavailable', retryAfter: RETRY_AFTER_S },
    `The control plane is unreachable. ${detail}`,
  )
  return { ...answer, headers: { ...headers, [RELAY_AWAY]: '1' } }
}

export const STOPPING = problem(
  { status: 503, title: 'Unavailable', retryAfter: RETRY_AFTER_S },
  'The relay is stopping.',
)
export const UNKNOWN_NOW = away(
  'This key was not accepted before, and the control plane cannot check it now.',
)
const INVALID = 'Invalid request'
export const UNREADABLE = problem(
  { status: 422, title: INVALID },
  'The body does not have the form that this endpoint accepts.',
)
export const NO_GZIP = problem({ status: 400, title: INVALID }, 'The body is not valid gzip.')
export const UNSUPPORTED = problem(
  { status: 415, title: 'Unsupported encoding' },
  'Send the batch as gzip or without content-encoding.',
)
export const FULL = problem(
  { status: 429, title: 'Too many requests', retryAfter: FULL_RETRY_AFTER_S },
  'The spool of this relay is full. Send the same batch again later.',
)
export const TOO_LARGE = problem(
  { status: 413, title: 'Too large' },
  `A batch may be up to ${MAX_COMPRESSED_BYTES / MIB} MiB compressed and ${MAX_BATCH_BYTES / MIB} MiB inflated. Send smaller batches.`,
)
