'use client'

import { clsx } from 'clsx'
import { useEffect, useRef } from 'react'
import { Link } from './link.tsx'

/** Links to the pages that share a header. */
export function LinkTabs({
  label,
  tabs,
  current,
}: {
  readonly label: string
  readonly tabs: readonly {
    readonly href: string
    readonly name: string
    /** Formatted number of entries of the page. Absent: not counted, or not loaded. */
    readonly count?: string | undefined
  }[]
  /** Index of the shown page; -1: none. */
  readonly current: number
}) {
  const row = useRef<HTMLElement>(null)
  // On a narrow screen, the current page can be beyond the edge of the row.
  useEffect(() => {
    row.current?.children[current]?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [current])
  return (
    <nav
      ref={row}
      aria-label={label}
      className="flex shrink-0 gap-1 overflow-x-auto border-border border-b bg-surface px-2"
    >
      {tabs.map(({ href, name, count }, at) => (
        <Link
          key={href}
          href={href}
          aria-current={at === current ? 'page' : undefined}
          data-name={count === undefined ? name : `${name} ${count}`}
          className={clsx(
            // As wide as in bold, so that no tab moves when another is selected.
            '-mb-px flex h-9 flex-col justify-center whitespace-nowrap border-b-2 px-2 pointer-coarse:h-11',
            'after:invisible after:block after:h-0 after:overflow-hidden after:font-medium after:content-[attr(data-name)]',
            at === current
              ? 'border-text font-medium text-text'
              : 'border-transparent text-text-2 hover:text-text',
          )}
        >
          {count === undefined ? (
            name
          ) : (
            <span>
              {name} <span className="ml-0.5 font-normal text-small text-text-2">{count}</span>
            </span>
          )}
        </Link>
      ))}
    </nav>
  )
}
