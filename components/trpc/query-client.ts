// The query cache's settings, the same on server and browser: what the server prefetched is not fetched again.
import { QueryClient } from '@tanstack/react-query'

/** A browser retries once when there was no answer or the server failed; a page on the server does not wait for that. */
function asksAgain(failures: number, error: object): boolean {
  const data: unknown = 'data' in error ? error.data : null
  const status =
    typeof data === 'object' && data !== null && 'httpStatus' in data && data.httpStatus
  const isRefused = typeof status === 'number' && status < 500
  return typeof window !== 'undefined' && failures < 1 && !isRefused
}

export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: { staleTime: 5000, retry: asksAgain },
    },
  })
}
