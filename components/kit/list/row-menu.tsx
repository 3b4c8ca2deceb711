'use client'

import { useState } from 'react'
import { Menu } from '@/components/ui/menu.tsx'
import type { MenuItem } from '@/components/ui/menu-button.tsx'

export function RowMenu({
  label,
  items,
  tabIndex = 0,
}: {
  readonly label: string
  readonly items: readonly MenuItem[]
  readonly tabIndex?: number
}) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Menu label={label} items={items} tabIndex={tabIndex} open={isOpen} onOpenChange={setOpen} />
  )
}
