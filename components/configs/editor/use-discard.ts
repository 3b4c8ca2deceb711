'use client'
// The server keeps the text, so that the toast can restore it.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { configPath } from '@/components/paths/config-path.ts'
import { useTRPC, useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import { toast } from '@/components/ui/toast.tsx'
import type { Workbench } from '@/server/configs/drafts.ts'
import type { DraftSession } from './use-draft.ts'

const UNDO_MS = 10_000

export function useDiscard({
  workbench,
  session,
}: {
  readonly workbench: Workbench
  readonly session: DraftSession
}) {
  const { ns, key } = workbench
  const client = useTRPCClient()
  const trpc = useTRPC()
  const queries = useQueryClient()
  const router = useRouter()
  const refresh = async () => {
    await queries.invalidateQueries({ queryKey: trpc.drafts.pathKey() })
    await queries.invalidateQueries({ queryKey: trpc.configs.pathKey() })
  }
  const restore = async (id: string) => {
    const { ok } = await client.drafts.restore.mutate({ ns, key, id })
    await refresh()
    if (ok) router.push(`${configPath(ns, key)}/edit`)
    else toast('The draft was not restored because a newer draft exists.')
  }
  return useMutation({
    mutationFn: async () => {
      const seen = await session.saver.flush()
      if (seen === null) throw new Error('There is no saved draft to discard.')
      const { ok } = await client.drafts.discard.mutate({ ns, key, ...seen })
      if (!ok) throw new Error('The draft was changed in the meantime, so it was not discarded.')
      return seen.id
    },
    onSuccess: async (id) => {
      await refresh()
      router.push(configPath(ns, key))
      toast(`The draft of ${ns}/${key} was discarded`, {
        duration: UNDO_MS,
        action: { label: 'Undo', onClick: () => void restore(id) },
      })
    },
    onError: (error) => toast.error(error.message),
  })
}
