'use client'

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { useTRPC, useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import { toast } from '@/components/ui/toast.tsx'
import type { ShownView, ViewList } from '@/server/saved-views/saved-views.ts'

export function useViews(list?: ViewList): readonly ShownView[] {
  const trpc = useTRPC()
  const views = useQuery(trpc.savedViews.list.queryOptions(undefined, { staleTime: 30_000 }))
  useReadOnChange({ kind: 'view' }, views)
  return (views.data ?? []).filter((view) => list === undefined || view.list === list)
}

export function useViewChange() {
  const trpc = useTRPC()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (change: () => Promise<unknown>) => change(),
    onError: (error) => toast(`Not changed: ${error.message}`),
    onSettled: () => queries.invalidateQueries({ queryKey: trpc.savedViews.pathKey() }),
  })
}

const UNDO_MS = 10_000

export function useRemoveView(): (view: ShownView) => void {
  const client = useTRPCClient()
  const { mutate } = useViewChange()
  return ({ id, name }) =>
    mutate(() => client.savedViews.remove.mutate({ id }), {
      onSuccess: () =>
        toast(`Deleted the view ${name}`, {
          duration: UNDO_MS,
          action: {
            label: 'Undo',
            onClick: () => mutate(() => client.savedViews.restore.mutate({ id })),
          },
        }),
    })
}
