'use client'
import { clsx } from 'clsx'
import { Ellipsis } from 'lucide-react'
import { usePathname } from 'next/navigation'
import { type ComponentProps, useState } from 'react'
import { isCurrent } from '@/components/shell/destinations.ts'
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
        className={clsx(
          'relative flex h-14 flex-col items-center justify-center gap-0.5 text-micro',
          isHere ? 'font-medium text-text' : 'text-text-2',
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
