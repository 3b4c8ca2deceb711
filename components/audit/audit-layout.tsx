// The one layout of every page about a decision (ux.md §0.3): verdict and reason, what would change it, the checks, the
// evidence. Main column left, facts right; one column on narrow screens.
'use client'

import { Link2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { toast } from 'sonner'
import { Button } from '@/components/ui/button.tsx'

export function AuditColumns({
  main,
  side,
}: {
  readonly main: ReactNode
  readonly side: ReactNode
}) {
  return (
    <div className="grid gap-3 p-4 lg:grid-cols-[minmax(0,1fr)_minmax(320px,400px)]">
      <div className="flex min-w-0 flex-col gap-3">{main}</div>
      <div className="flex min-w-0 flex-col gap-3">{side}</div>
    </div>
  )
}

/** Copies the address of this page, whatever view it is in. */
export function CopyLinkButton({ path }: { readonly path: string }) {
  const copy = (): void => {
    navigator.clipboard.writeText(`${window.location.origin}${path}`).then(
      () => toast('Link copied'),
      () => toast(`The browser does not allow copying here: ${path}`),
    )
  }
  return (
    <Button onClick={copy} className="no-print">
      <Link2 aria-hidden size={16} />
      Copy link
    </Button>
  )
}
