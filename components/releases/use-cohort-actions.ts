'use client'
// What a publisher can do with cohorts; afterwards everything that shows them is read again.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTRPC, useTRPCClient } from '../trpc-provider.tsx'

interface Outcome {
  readonly ok: boolean
  readonly message?: string
}

/** `run` resolves with what the server said; `refused` is its sentence when it said no. */
export function useCohortAction<Input>(
  act: (client: ReturnType<typeof useTRPCClient>, input: Input) => Promise<Outcome>,
  onDone?: () => void,
) {
  const trpc = useTRPC()
  const client = useTRPCClient()
  const queries = useQueryClient()
  const mutation = useMutation({
    mutationFn: (input: Input) => act(client, input),
    onSuccess: async (result) => {
      await queries.invalidateQueries({ queryKey: trpc.cohorts.pathKey() })
      await queries.invalidateQueries({ queryKey: trpc.configs.pathKey() })
      if (result.ok) onDone?.()
    },
  })
  const refused = mutation.data?.ok === false ? mutation.data.message : mutation.error?.message
  return { run: mutation.mutate, isPending: mutation.isPending, refused }
}
