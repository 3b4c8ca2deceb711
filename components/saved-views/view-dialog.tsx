// A name for what the list shows, for oneself or for the project; and the same for a view that is there.
'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { type FormEvent, useId, useState } from 'react'
import { EDITORS, useRight } from '@/components/shell/use-right.ts'
import { useTRPC, useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Checkbox } from '@/components/ui/checkbox.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { Field, Input } from '@/components/ui/input.tsx'
import type { ShownView, ViewList } from '@/server/saved-views/saved-views.ts'
import { viewPath } from './view-query.ts'

export interface ViewDialogProps {
  readonly list: ViewList
  readonly query: string
  /** The view to change; null: a new one. */
  readonly view: ShownView | null
  readonly onClose: () => void
}

export function ViewDialog({ list, query, view, onClose }: ViewDialogProps) {
  const [name, setName] = useState(view?.name ?? '')
  const [shared, setShared] = useState(view?.shared ?? false)
  const share = useRight({ roles: EDITORS, does: 'sharing views' })
  const form = useId()
  const { mutate, isPending, error } = useSaving({ list, query, view, onClose })
  const send = (event: FormEvent): void => {
    event.preventDefault()
    if (name.trim() !== '') mutate({ name, shared })
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={view === null ? 'Save view' : `Rename or share ${view.name}`}
      description="A view is a name for this list with its filter, range and order. A range like “last 24 h” stays relative."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            form={form}
            variant="primary"
            disabled={isPending || name.trim() === ''}
          >
            {view === null ? 'Save view' : 'Save change'}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={send} className="flex flex-col gap-3">
        <Field label="Name" error={error?.message}>
          {(control) => (
            <Input
              {...control}
              autoFocus
              maxLength={80}
              value={name}
              onChange={({ currentTarget }) => setName(currentTarget.value)}
            />
          )}
        </Field>
        <Checkbox
          checked={shared}
          disabled={!share.isAllowed}
          onChange={({ currentTarget }) => setShared(currentTarget.checked)}
        >
          Share with the whole project
        </Checkbox>
        {share.reason === null ? null : <p className="text-small text-text-2">{share.reason}</p>}
      </form>
    </Dialog>
  )
}

/** A new view is opened at once, so that the address names it. */
function useSaving({ list, query, view, onClose }: ViewDialogProps) {
  const trpc = useTRPC()
  const client = useTRPCClient()
  const queries = useQueryClient()
  const router = useRouter()
  return useMutation({
    mutationFn: async ({ name, shared }: { readonly name: string; readonly shared: boolean }) => {
      if (view !== null) await client.savedViews.change.mutate({ id: view.id, name, shared })
      return view ?? (await client.savedViews.save.mutate({ list, query, name, shared }))
    },
    onSuccess: ({ id }) => {
      onClose()
      if (view !== null) return
      const project = new URLSearchParams(window.location.search).get('project') ?? undefined
      router.replace(viewPath({ list, query, id }, { project }))
    },
    onSettled: () => queries.invalidateQueries({ queryKey: trpc.savedViews.pathKey() }),
  })
}
