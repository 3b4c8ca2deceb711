// The query cache's settings, the same on server and browser: Dates and other values travel by superjson, and what the server
// prefetched is not fetched again.
import { QueryClient } from '@tanstack/react-query'
import superjson from 'superjson'

export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: { staleTime: 5000, retry: 1 },
      // Only what is there: a question under way would come without its answer, and keep the answer out that comes with the page.
      dehydrate: { serializeData: superjson.serialize },
      hydrate: { deserializeData: superjson.deserialize },
    },
  })
}
