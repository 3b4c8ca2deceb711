'use client'
import type { Claim } from '@signalbox/wire'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useConfigRights } from '@/components/shell/use-config-rights.ts'
import { useTRPC, useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { ErrorLine } from '@/components/ui/states.tsx'

export interface NewClaim extends Claim {
  readonly ns: string
  readonly key: string
}

export function MakeClaim({ claim }: { readonly claim: NewClaim }) {
  const trpc = useTRPC()
  const client = useTRPCClient()
  const queries = useQueryClient()
  const { ns, key, question, expect } = claim
  const { isAllowed, reason } = useConfigRights().archive
  const kept = useQuery(trpc.claims.of.queryOptions({ ns, key })).data
  const add = useMutation({
    mutationFn: () => client.claims.add.mutate(claim),
    onSettled: () => queries.invalidateQueries({ queryKey: trpc.claims.pathKey() }),
  })
  const same = kept?.find((one) => isSame(one.question, question))
  if (same?.expect === expect) return <p className="text-text-2">This is a claim of the config.</p>
  if (same !== undefined) {
    return (
      <p className="text-text-2">
        A claim of the config expects the other answer. A release of this text is refused.
      </p>
    )
  }
  return (
    <>
      <Button
        disabled={!isAllowed || add.isPending}
        title={reason ?? 'Every later release is refused unless it gives this answer'}
        onClick={() => add.mutate()}
      >
        Make it a claim
      </Button>
      <ErrorLine className="text-small">{add.error?.message}</ErrorLine>
    </>
  )
}

function isSame(one: object, other: object): boolean {
  const inOrder = (value: object) => JSON.stringify(Object.entries(value).sort())
  return inOrder(one) === inOrder(other)
}
