'use client'

import { useStore } from '@tanstack/react-form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { useId } from 'react'
import type { z } from 'zod'
import { Form, FormProblem, Submit, useServerForm } from '@/components/kit/form/form.tsx'
import { useRight } from '@/components/shell/use-right.ts'
import { useTRPC, useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { NameViewInput } from '@/server/saved-views/saved-view-input.ts'
import type { ShownView, ViewList } from '@/server/saved-views/saved-views.ts'
import { viewPath } from './view-query.ts'

export interface ViewDialogProps {
  readonly list: ViewList
  readonly query: string
  /** View to change; null: a new one. */
  readonly view: ShownView | null
  readonly onClose: () => void
}

export function ViewDialog({ list, query, view, onClose }: ViewDialogProps) {
  const share = useRight('editor')
  const id = useId()
  const save = useSaving({ list, query, view, onClose })
  const form = useServerForm({
    values: { name: view?.name ?? '', shared: view?.shared ?? false },
    schema: NameViewInput,
    toInput: (values) => values,
    send: save.mutateAsync,
  })
  const isNamed = useStore(form.store, ({ values }) => values.name.trim() !== '')
  return (
    <form.AppForm>
      <Dialog
        open
        onOpenChange={onClose}
        title={view === null ? 'Save view' : `Rename or share ${view.name}`}
        description="A view is a name for this list with its filter, range and order. A range like “last 24 h” stays relative."
        actions={
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Submit form={id} variant="primary" disabled={!isNamed}>
              {view === null ? 'Save view' : 'Save change'}
            </Submit>
          </>
        }
      >
        <Form form={form} id={id}>
          <form.AppField name="name">
            {(field) => <field.TextField label="Name" autoFocus maxLength={80} />}
          </form.AppField>
          <form.AppField name="shared">
            {(field) => (
              <field.CheckboxField disabled={!share.isAllowed}>
                Share with the whole project
              </field.CheckboxField>
            )}
          </form.AppField>
          {share.reason === null ? null : <p className="text-small text-text-2">{share.reason}</p>}
          <FormProblem />
        </Form>
      </Dialog>
    </form.AppForm>
  )
}

/** A new view is opened immediately, so that the address names it. */
function useSaving({ list, query, view, onClose }: ViewDialogProps) {
  const trpc = useTRPC()
  const client = useTRPCClient()
  const queries = useQueryClient()
  const router = useRouter()
  return useMutation({
    mutationFn: async (named: z.input<typeof NameViewInput>) => {
      if (view !== null) await client.savedViews.change.mutate({ id: view.id, ...named })
      return view ?? (await client.savedViews.save.mutate({ list, query, ...named }))
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
