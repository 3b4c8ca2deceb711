// The same on server and browser, so that prefetched data is not fetched again.
import { QueryClient } from '@tanstack/react-query'

/** The browser retries once if the server did not answer or failed. The server does not retry, so that the page does not wait. */
function shouldRetry(failures: number, error: object): boolean {
  const data: unknown = 'data' in error ? error.data : null
  const status =
    typeof data === 'object' && data !== null && 'httpStatus' in data && data.httpStatus
  const isRefused = typeof status === 'number' && status < 500
  return typeof window !== 'undefined' && failures < 1 && !isRefused
}

export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: { staleTime: 5000, retry: shouldRetry },
    },
  })
}
