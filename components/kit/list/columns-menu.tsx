// In a file of its own, because every page provides the choices but not every page has the menu.
'use client'

import { Check, Columns3 } from 'lucide-react'
import { useState } from 'react'
import { usePageKeys } from '@/components/shell/page-keys.ts'
import { Menu } from '@/components/ui/menu.tsx'
import { useChooseColumns, useColumns } from './list-columns.tsx'
import type { FaceHead } from './list-face.tsx'

export function ColumnsMenu({ face }: { readonly face: FaceHead }) {
  const choose = useChooseColumns()
  const [isOpen, setOpen] = useState(false)
  const visible = useColumns(face)
  usePageKeys(face.name, [
    { keys: 'Shift+C', shown: '⇧C', does: 'choose columns', run: () => setOpen(true) },
  ])
  const toggle = (name: string): void =>
    choose(
      face.name,
      visible.includes(name) ? visible.filter((one) => one !== name) : [...visible, name],
    )
  return (
    <Menu
      label="Columns"
      icon={<Columns3 size={16} aria-hidden />}
      open={isOpen}
      onOpenChange={setOpen}
      items={[
        ...face.columns
          .filter(({ name }) => name !== face.lead)
          .map(({ name, label }) => ({
            name: label,
            key: name,
            isChosen: visible.includes(name),
            onSelect: () => toggle(name),
          })),
        {
          name: 'Standard columns',
          isApart: true,
          icon: <Check size={14} aria-hidden className="invisible" />,
          onSelect: () => choose(face.name, face.shown),
        },
      ]}
    />
  )
}
