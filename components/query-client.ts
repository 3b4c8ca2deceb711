// The query cache's settings, the same on server and browser: what the server prefetched is not fetched again.
import { QueryClient } from '@tanstack/react-query'

export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: { staleTime: 5000, retry: 1 },
    },
  })
}
