'use client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { ErrorLine } from '@/components/ui/states.tsx'
import { toast } from '@/components/ui/toast.tsx'

interface Named {
  readonly ns: string
  readonly key: string
}

export function useSetArchived() {
  const trpc = useTRPC()
  const queries = useQueryClient()
  return useMutation({
    ...trpc.configs.setArchived.mutationOptions(),
    onSuccess: async (_result, { ns, key, archived }) => {
      toast(archived ? `${ns}/${key} is archived.` : `${ns}/${key} is restored.`)
      await queries.invalidateQueries({ queryKey: trpc.configs.pathKey() })
    },
  })
}

export function ArchiveDialog({
  config: { ns, key },
  onClose,
}: {
  readonly config: Named
  readonly onClose: () => void
}) {
  const change = useSetArchived()
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Archive ${ns}/${key}`}
      description="No environment runs it. It leaves the list with its draft, versions and pinned cases, and can be restored from Archived."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            disabled={change.isPending}
            onClick={() => change.mutate({ ns, key, archived: true }, { onSuccess: onClose })}
          >
            Archive {ns}/{key}
          </Button>
        </>
      }
    >
      <ErrorLine>{change.error?.message}</ErrorLine>
    </Dialog>
  )
}
