// What a tRPC call knows before any procedure runs: the request's headers. Gates read the login from them.
export interface TrpcContext {
  readonly headers: Headers
}

export function createContext(headers: Headers): TrpcContext {
  return { headers }
}
