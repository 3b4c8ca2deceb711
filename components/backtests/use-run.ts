'use client'
// Running a backtest and stopping it; what is wrong is kept for the place where it was asked.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTRPC, useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import type { AskedSample } from '@/server/backtests/start-backtest.ts'

export interface RunWish {
  readonly ns: string
  readonly key: string
  readonly sample: AskedSample
  /** The draft as saved now; null: it could not be saved. Asked when the run starts, and again when the draft moved. */
  readonly subject: () => Promise<Subject | null>
}

export type Subject =
  | { readonly kind: 'draft'; readonly id: string; readonly revision: number }
  | { readonly kind: 'version'; readonly number: number }

const ATTEMPTS = 3
const MOVED =
  'Another user saved this draft. Reload the page to see the change, then run the backtest again.'

export function useStartBacktest() {
  const client = useTRPCClient()
  const refresh = useRefresh()
  return useMutation({
    mutationFn: async ({ ns, key, sample, subject }: RunWish): Promise<string> => {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const found = await subject()
        if (found === null) break
        const result = await client.backtests.start.mutate({ ns, key, sample, subject: found })
        if (result.ok) return result.id
        if (attempt === ATTEMPTS - 1) throw new Error(MOVED)
      }
      throw new Error('The draft is not saved yet. Run it again once it is.')
    },
    onSettled: refresh,
  })
}

export function useCancelBacktest() {
  const client = useTRPCClient()
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (id: string) => client.backtests.cancel.mutate({ id }),
    onSettled: refresh,
  })
}

function useRefresh(): () => Promise<void> {
  const queries = useQueryClient()
  const trpc = useTRPC()
  return () => queries.invalidateQueries({ queryKey: trpc.backtests.pathKey() })
}
