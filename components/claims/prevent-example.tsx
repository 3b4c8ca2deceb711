'use client'
import type { Claim } from '@signalbox/wire'
import { useMutation } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { configPath } from '@/components/paths/config-path.ts'
import { useConfigRights } from '@/components/shell/use-config-rights.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { toast } from '@/components/ui/toast.tsx'

interface Wish {
  readonly ns: string
  readonly key: string
  /** Environment of the good sessions that a change must not refuse. */
  readonly environment: string
  /** Text of the flat document. */
  readonly text: string
  readonly question: Claim['question']
}

export function PreventExample({ wish }: { readonly wish: Wish }) {
  const trpc = useTRPC()
  const router = useRouter()
  const { isAllowed, reason } = useConfigRights().edit
  const start = useMutation(
    trpc.prevention.startExample.mutationOptions({
      onError: ({ message }) => toast(message),
      onSuccess: ({ sessionId }) =>
        router.push(`${configPath(wish.ns, wish.key)}/example/prevent/${sessionId}`),
    }),
  )
  return (
    <Button
      disabled={!isAllowed || start.isPending}
      title={reason ?? 'Find the smallest change that refuses this and nothing in good sessions'}
      onClick={() => start.mutate(wish)}
    >
      Prevent it
    </Button>
  )
}
