'use client'
// Each action refetches all data that shows the staged rollout.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTRPC, useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import type { Refusal } from '@/server/releases/release-outcome.ts'

type Outcome = { readonly ok: true } | Refusal

/** `refused`: the server's sentence, if it refused. */
export function useStagedRolloutAction<Input>(
  act: (client: ReturnType<typeof useTRPCClient>, input: Input) => Promise<Outcome>,
  onDone?: () => void,
) {
  const trpc = useTRPC()
  const client = useTRPCClient()
  const queries = useQueryClient()
  const mutation = useMutation({
    mutationFn: (input: Input) => act(client, input),
    onSuccess: async (result) => {
      await queries.invalidateQueries({ queryKey: trpc.stagedRollouts.pathKey() })
      await queries.invalidateQueries({ queryKey: trpc.configs.pathKey() })
      if (result.ok) onDone?.()
    },
  })
  const refused = mutation.data?.ok === false ? mutation.data.message : mutation.error?.message
  return {
    run: mutation.mutate,
    send: mutation.mutateAsync,
    isPending: mutation.isPending,
    refused,
  }
}
