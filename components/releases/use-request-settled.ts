import { useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'

export function useRequestSettled(): () => Promise<void> {
  const trpc = useTRPC()
  const queries = useQueryClient()
  return async () => {
    await queries.invalidateQueries({ queryKey: trpc.releaseApprovals.pathKey() })
    await queries.invalidateQueries({ queryKey: trpc.releases.work.queryKey() })
  }
}
