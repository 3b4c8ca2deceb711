'use client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { toast } from '@/components/ui/toast.tsx'

export function useSigningKeyChanges(onDone: () => void = () => undefined) {
  const trpc = useTRPC()
  const queries = useQueryClient()
  const after = (message: string) => ({
    onSuccess: () => {
      toast.success(message)
      onDone()
    },
    onSettled: async () => {
      for (const { pathKey } of [trpc.signingKeys, trpc.runtimes, trpc.releases, trpc.auditLog])
        await queries.invalidateQueries({ queryKey: pathKey() })
    },
  })
  return {
    prepare: useMutation(
      trpc.signingKeys.prepare.mutationOptions(
        after('The new key is prepared. Runtimes are fetching it now.'),
      ),
    ),
    activate: useMutation(
      trpc.signingKeys.activate.mutationOptions(after('The new key signs from now on.')),
    ),
    revoke: useMutation(trpc.signingKeys.revoke.mutationOptions(after('The key was revoked.'))),
  }
}
