// One button for all export formats of an object; the palette offers each as well. An explanation is exported as a report on paper, as JSON
// that states its own digest, as Markdown, and as a signed file that can be verified elsewhere.
'use client'

import { FileCheck, FileText, Printer } from 'lucide-react'
import { useState } from 'react'
import { withPrefix } from '@/components/paths/prefix.ts'
import { usePageActions } from '@/components/shell/page-actions.ts'
import { Menu } from '@/components/ui/menu.tsx'
import type { MenuItem } from '@/components/ui/menu-button.tsx'

export function ExportMenu({
  label,
  items,
}: {
  /** Accessible name: "Export the session". */
  readonly label: string
  readonly items: readonly MenuItem[]
}) {
  const [isOpen, setOpen] = useState(false)
  usePageActions(
    items.map(({ name, href, onSelect }) => ({
      name: `Export: ${name}`,
      // A file is saved, and the page stays.
      run: () => (href === undefined ? onSelect?.() : window.location.assign(withPrefix(href))),
    })),
  )
  return <Menu label={label} items={items} text="Export" open={isOpen} onOpenChange={setOpen} />
}

/** Prints the open page. */
export const PRINT: MenuItem = {
  name: 'Print, or save as PDF',
  icon: <Printer aria-hidden size={14} className="shrink-0" />,
  // The menu is no part of the paper: it is gone by then.
  onSelect: () => requestAnimationFrame(() => window.print()),
}

/** `path` of the report, without a format. `what` it is: "the stop". */
export function ExplanationExport({
  path,
  what,
}: {
  readonly path: string
  readonly what: string
}) {
  const text = <FileText aria-hidden size={14} className="shrink-0" />
  return (
    <ExportMenu
      label={`Export ${what}`}
      items={[
        PRINT,
        { name: 'JSON', icon: text, isFile: true, href: `${path}?format=json` },
        { name: 'Markdown', icon: text, isFile: true, href: `${path}?format=md` },
        {
          name: 'Portable bundle',
          note: 'verifies offline',
          icon: <FileCheck aria-hidden size={14} className="shrink-0" />,
          isFile: true,
          href: `${path}?format=bundle`,
        },
      ]}
    />
  )
}
