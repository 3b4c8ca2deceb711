'use client'
// Archives a config that no environment runs, or brings it back. Its history stays either way.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Archive, ArchiveRestore } from 'lucide-react'
import { useState } from 'react'
import type { ConfigDetail } from '@/server/services/configs.ts'
import { useTRPC } from '../trpc-provider.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'

export function ArchiveButton({ config }: { readonly config: ConfigDetail }) {
  const { ns, key, archivedAt } = config
  const [asking, setAsking] = useState(false)
  const trpc = useTRPC()
  const queries = useQueryClient()
  const change = useMutation({
    ...trpc.configs.setArchived.mutationOptions(),
    onSuccess: async () => {
      setAsking(false)
      await queries.invalidateQueries({ queryKey: trpc.configs.pathKey() })
    },
  })
  if (archivedAt !== null) {
    return (
      <Button
        disabled={change.isPending}
        onClick={() => change.mutate({ ns, key, archived: false })}
      >
        <ArchiveRestore size={14} aria-hidden /> Restore
      </Button>
    )
  }
  return (
    <>
      <Button onClick={() => setAsking(true)}>
        <Archive size={14} aria-hidden /> Archive
      </Button>
      <Dialog
        open={asking}
        onOpenChange={setAsking}
        title={`Archive ${ns}/${key}`}
        description="No environment runs it. It leaves the list and can be restored from Archived."
        actions={
          <>
            <Button onClick={() => setAsking(false)}>Cancel</Button>
            <Button
              variant="primary"
              disabled={change.isPending}
              onClick={() => change.mutate({ ns, key, archived: true })}
            >
              Archive {ns}/{key}
            </Button>
          </>
        }
      >
        {change.error !== null && (
          <p role="alert" className="text-deny-fg">
            {change.error.message}
          </p>
        )}
      </Dialog>
    </>
  )
}
