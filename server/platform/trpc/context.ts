import { randomBytes } from 'node:crypto'

/** Format of server/platform/observability/requests.mjs. The header is absent when the handler runs without the server. */
const REQUEST_ID = /^req_[0-9a-f]{16}$/

export interface TrpcContext {
  readonly headers: Headers
  /** `req_…`, which is part of every failure in the browser and in the server's log. */
  readonly requestId: string
}

export function createContext(headers: Headers): TrpcContext {
  const given = headers.get('x-request-id')
  const noted = given !== null && REQUEST_ID.test(given) ? given : null
  return { headers, requestId: noted ?? `req_${randomBytes(8).toString('hex')}` }
}
