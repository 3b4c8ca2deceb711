'use client'

import { clsx } from 'clsx'
import { usePathname } from 'next/navigation'
import { type ReactNode, useEffect, useRef } from 'react'
import { Link } from '@/components/ui/link.tsx'
import { PageHeader } from './page-header.tsx'
import { SETTINGS_PAGES } from './settings-pages.ts'

export function SettingsFrame({ children }: { readonly children: ReactNode }) {
  const path = usePathname()
  const pages = useRef<HTMLElement>(null)
  // On a narrow screen, the current page can be beyond the edge of the row.
  useEffect(() => {
    const current = SETTINGS_PAGES.findIndex(({ href }) => path.startsWith(href))
    pages.current?.children[current]?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [path])
  return (
    <>
      <PageHeader title="Settings" />
      <nav
        ref={pages}
        aria-label="Settings"
        className="flex shrink-0 gap-1 overflow-x-auto border-border border-b bg-surface px-2"
      >
        {SETTINGS_PAGES.map(({ href, name }) => (
          <Link
            key={href}
            href={href}
            aria-current={path.startsWith(href) ? 'page' : undefined}
            data-name={name}
            className={clsx(
              // As wide as in bold, so that no tab moves when another is selected.
              '-mb-px flex h-9 flex-col justify-center whitespace-nowrap border-b-2 px-2 pointer-coarse:h-11',
              'after:invisible after:block after:h-0 after:overflow-hidden after:font-medium after:content-[attr(data-name)]',
              path.startsWith(href)
                ? 'border-text font-medium text-text'
                : 'border-transparent text-text-2 hover:text-text',
            )}
          >
            {name}
          </Link>
        ))}
      </nav>
      <div className="flex flex-col gap-3 p-4">{children}</div>
    </>
  )
}
