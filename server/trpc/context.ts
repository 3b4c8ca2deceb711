// What a tRPC call knows before any procedure runs: the request's headers, from which gates read the login, and its own id.
import { randomBytes } from 'node:crypto'

export interface TrpcContext {
  readonly headers: Headers
  /** `req_…`: said with every failure, in the browser and in the server's log. */
  readonly requestId: string
}

export function createContext(headers: Headers): TrpcContext {
  return { headers, requestId: `req_${randomBytes(8).toString('hex')}` }
}
