'use client'

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { toast } from '@/components/ui/toast.tsx'
import type { LearnPlace } from '@/server/suggestions/learn-runs.sql.ts'

/** A search can end between the read of the page by the server and the first notification that the page receives. */
const LOOK_EVERY_MS = 2_000

export function useSuggestions({ ns, key, environment }: LearnPlace) {
  const trpc = useTRPC()
  const query = useQuery({
    ...trpc.suggestions.find.queryOptions({ ns, key, environment }),
    refetchInterval: ({ state }) => (state.data?.run?.finishedAt === null ? LOOK_EVERY_MS : false),
  })
  useReadOnChange({ kind: 'suggestion', id: `${ns}/${key}` }, query)
  return query
}

/** Options of a mutation of the router `suggestions`. */
export function useSuggestionOptions() {
  const trpc = useTRPC()
  const queries = useQueryClient()
  return {
    onError: ({ message }: { readonly message: string }) => toast.error(message),
    onSettled: () => queries.invalidateQueries({ queryKey: trpc.suggestions.pathKey() }),
  }
}
