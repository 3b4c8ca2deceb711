'use client'

import { plural } from '@signalbox/core/analysis'
import { useMutation, useQuery } from '@tanstack/react-query'
import { TypedConfirm } from '@/components/kit/form/lazy-typed-confirm.ts'
import { withPrefix } from '@/components/paths/prefix.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { ErrorState, Skeleton } from '@/components/ui/states.tsx'

export function DeleteProject({
  name,
  onClose,
}: {
  readonly name: string
  readonly onClose: () => void
}) {
  const trpc = useTRPC()
  const { data, isPending, error } = useQuery({
    ...trpc.projects.deletion.queryOptions(),
    staleTime: 0,
  })
  const current = useQuery(trpc.projects.current.queryOptions()).data
  const others = useQuery(trpc.projects.mine.queryOptions()).data?.filter(
    ({ slug }) => slug !== current?.slug,
  )
  const remove = useMutation(
    trpc.projects.delete.mutationOptions({
      onSuccess: () => {
        const next = others?.[0]?.slug
        // The address names a project, because a page opened from here would request the deleted one. Without another project, the account
        // was deleted too.
        window.location.assign(
          withPrefix(next === undefined ? '/login' : `/?project=${encodeURIComponent(next)}`),
        )
      },
    }),
  )
  if (data?.isLast === true) {
    return (
      <Dialog
        open
        onOpenChange={onClose}
        title={`${name} cannot be deleted`}
        actions={<Button onClick={onClose}>Close</Button>}
      >
        This is the only project of the installation. Create another one first.
      </Dialog>
    )
  }
  return (
    <TypedConfirm
      onClose={onClose}
      title={`Delete ${name}`}
      effect="Everyone loses access immediately, keys stop working, and all recorded data is deleted. This cannot be undone."
      word={name}
      action={remove.isPending ? `Deleting ${name}…` : `Delete ${name}`}
      isBlocked={data === undefined || others === undefined || remove.isPending}
      onConfirm={(typedName) => remove.mutateAsync({ typedName })}
    >
      {isPending && <Skeleton className="w-3/4" />}
      {error !== null && <ErrorState what="The data to delete could not be counted." why={error} />}
      {data !== undefined && (
        <ul className="list-disc pl-5 text-text-2">
          <li>
            {plural(data.configs, 'config')} with {plural(data.versions, 'version')}
          </li>
          <li>{plural(data.sessions, 'session')} with all their events</li>
          <li>
            {plural(data.keys, 'active key')}; {plural(data.runtimes, 'runtime')} will be refused
            and keep their last config
          </li>
          <li>
            {plural(data.members, 'member')}; accounts without another project are deleted, too
          </li>
          <li>The audit log is kept in the database.</li>
        </ul>
      )}
    </TypedConfirm>
  )
}
