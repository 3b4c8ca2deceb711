'use client'

import { Printer } from 'lucide-react'
import { useState } from 'react'
import { withPrefix } from '@/components/paths/prefix.ts'
import { usePageActions } from '@/components/shell/page-actions.ts'
import { Menu } from '@/components/ui/menu.tsx'
import type { MenuItem } from '@/components/ui/menu-button.tsx'

export function ExportMenu({
  label,
  items,
}: {
  readonly label: string
  readonly items: readonly MenuItem[]
}) {
  const [isOpen, setOpen] = useState(false)
  usePageActions(
    items.map(({ name, href, onSelect }) => ({
      name: `Export: ${name}`,
      // The browser saves the file and stays on the page.
      run: () => (href === undefined ? onSelect?.() : window.location.assign(withPrefix(href))),
    })),
  )
  return <Menu label={label} items={items} text="Export" open={isOpen} onOpenChange={setOpen} />
}

export const PRINT: MenuItem = {
  name: 'Print, or save as PDF',
  icon: <Printer aria-hidden size={14} className="shrink-0" />,
  // Deferred until the menu is closed, so that it is not printed.
  onSelect: () => requestAnimationFrame(() => window.print()),
}
