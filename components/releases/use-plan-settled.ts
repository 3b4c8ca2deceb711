import { useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'

export function usePlanSettled(): () => Promise<void> {
  const trpc = useTRPC()
  const queries = useQueryClient()
  return async () => {
    await queries.invalidateQueries({ queryKey: trpc.schedules.pathKey() })
    await queries.invalidateQueries({ queryKey: trpc.releases.work.queryKey() })
  }
}
