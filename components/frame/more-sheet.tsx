'use client'
import { Ellipsis } from 'lucide-react'
import { usePathname } from 'next/navigation'
import { type ComponentProps, useState } from 'react'
import { isCurrent } from '@/components/shell/destinations.ts'
import { cn } from '@/components/ui/class-names.ts'
import { lazyDialog } from '@/components/ui/lazy-popup.tsx'

const MoreDialog = lazyDialog(() => import('./more-dialog.tsx').then((module) => module.MoreDialog))

export function MoreSheet({
  pages,
  linkTo,
  counts,
}: Omit<ComponentProps<typeof MoreDialog>, 'onClose'>) {
  const path = usePathname()
  const [isOpen, setOpen] = useState(false)
  const waits = ['/call-approvals', '/alerts'].some((href) => (counts[href] ?? '') !== '')
  const isHere = pages.some((page) => isCurrent(page, path))
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(true)}
        className={cn(
          'relative flex h-14 flex-col items-center justify-center gap-0.5 text-micro text-text-2',
          isHere && 'font-medium text-text',
        )}
      >
        <Ellipsis size={18} aria-hidden />
        {waits ? (
          <>
            More<span className="sr-only">, items need your attention</span>
            <span
              aria-hidden
              className="absolute top-2 right-1/3 size-2 rounded-full bg-warning-mark"
            />
          </>
        ) : (
          'More'
        )}
      </button>
      {isOpen ? (
        <MoreDialog pages={pages} linkTo={linkTo} counts={counts} onClose={() => setOpen(false)} />
      ) : null}
    </>
  )
}
