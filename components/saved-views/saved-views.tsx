// Pages only read their address; a view is a name for an address.
'use client'

import { Check } from 'lucide-react'
import { useSearchParams } from 'next/navigation'
import { parseAsString, useQueryState } from 'nuqs'
import { useEffect, useState } from 'react'
import { useRight } from '@/components/shell/use-right.ts'
import { useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import { lazyDialog } from '@/components/ui/lazy-popup.tsx'
import { Menu } from '@/components/ui/menu.tsx'
import type { MenuItem } from '@/components/ui/menu-button.tsx'
import type { ShownView, ViewList } from '@/server/saved-views/saved-views.ts'
import { useRemoveView, useViewChange, useViews } from './use-views.ts'
import { isBare, isChanged, STANDARD, viewPath, viewQuery } from './view-query.ts'

const ViewDialog = lazyDialog(() => import('./view-dialog.tsx').then((module) => module.ViewDialog))

function keepPlaceParams(search: string) {
  const params = new URLSearchParams(search)
  return {
    env: params.get('env') ?? undefined,
    project: params.get('project') ?? undefined,
  }
}

/** Null: no dialog is open. */
type Saving = 'new' | 'change' | null

export function SavedViews({ list }: { readonly list: ViewList }) {
  const search = useSearchParams().toString()
  const views = useViews(list)
  const [chosen, choose] = useQueryState('view', parseAsString)
  const [isOpen, setOpen] = useState(false)
  const [saving, setSaving] = useState<Saving>(null)
  const current = views.find(({ id }) => id === chosen) ?? null
  const isOther = current === null || isChanged(search, current.query)
  // Clearing all filters leaves the view; else the address alone would open it again.
  const isLeft = current !== null && viewQuery(current.query) !== '' && isBare(search)
  useEffect(() => {
    if (isLeft) void choose(STANDARD)
  }, [isLeft, choose])
  const acts = useActs({ list, search, current, isOther, onSaving: setSaving })
  const items: readonly MenuItem[] = [
    ...views.map((view) => toViewItem(view, view.id === chosen, search)),
    {
      name: 'Default list',
      icon: <Mark isOn={current === null && isBare(search)} />,
      href: viewPath({ list, query: '', id: STANDARD }, keepPlaceParams(search)),
    },
    ...acts,
  ]
  return (
    <>
      <Menu
        label="Views"
        text={current === null ? 'Views' : `${current.name}${isOther ? ', changed' : ''}`}
        items={items}
        open={isOpen}
        onOpenChange={setOpen}
      />
      {saving === null ? null : (
        <ViewDialog
          list={list}
          query={viewQuery(search)}
          view={saving === 'change' ? current : null}
          onClose={() => setSaving(null)}
        />
      )}
    </>
  )
}

function Mark({ isOn }: { readonly isOn: boolean }) {
  return (
    <Check size={14} aria-label={isOn ? 'open' : undefined} className={isOn ? '' : 'invisible'} />
  )
}

function toViewItem(view: ShownView, isOn: boolean, search: string): MenuItem {
  const facts = [
    ...(view.shared ? [view.isMine ? 'shared' : `shared by ${view.owner}`] : []),
    ...(view.isDefault ? ['default'] : []),
  ]
  return {
    name: view.name,
    ...(facts.length === 0 ? {} : { note: facts.join(', ') }),
    icon: <Mark isOn={isOn} />,
    href: viewPath(view, keepPlaceParams(search)),
    key: view.id,
  }
}

interface Acting {
  readonly list: ViewList
  readonly search: string
  readonly current: ShownView | null
  readonly isOther: boolean
  readonly onSaving: (saving: Saving) => void
}

function useActs({ list, search, current, isOther, onSaving }: Acting): readonly MenuItem[] {
  const client = useTRPCClient()
  const { mutate } = useViewChange()
  const remove = useRemoveView()
  const admin = useRight('admin')
  const save: MenuItem = { name: 'Save view…', isApart: true, onSelect: () => onSaving('new') }
  if (current === null) return [save]
  const { id, name, isMine, shared, isDefault } = current
  const setDefault: MenuItem = {
    name: isDefault ? 'Stop using as default' : `Use ${name} as default`,
    onSelect: () =>
      mutate(() => client.savedViews.setDefault.mutate({ list, id: isDefault ? null : id })),
  }
  if (!isMine) {
    const unshare: MenuItem = {
      name: 'Stop sharing',
      refusal: admin.reason ?? undefined,
      onSelect: () => mutate(() => client.savedViews.unshare.mutate({ id })),
    }
    return [save, setDefault, ...(shared ? [unshare] : [])]
  }
  const update: MenuItem = {
    name: `Update ${name} to the current filter`,
    onSelect: () => mutate(() => client.savedViews.change.mutate({ id, query: viewQuery(search) })),
  }
  return [
    ...[save, ...(isOther ? [update] : []), setDefault],
    { name: 'Rename or share…', onSelect: () => onSaving('change') },
    { name: `Delete ${name}`, onSelect: () => remove(current) },
  ]
}
