// For at most a few hundred rows. A wide table scrolls inside its own box; a phone shows each row of a stacked table as lines.

import { clsx } from 'clsx'
import type { ComponentProps } from 'react'

export function Table({
  className,
  isStacked = false,
  ...props
}: ComponentProps<'table'> & { readonly isStacked?: boolean }) {
  return (
    <div className="relative overflow-x-auto print:overflow-visible">
      <table
        data-stacked={isStacked ? '' : undefined}
        className={clsx(
          'w-full border-collapse text-left',
          'stacked:block stacked:[&>tbody]:block stacked:[&>thead]:sr-only',
          className,
        )}
        {...props}
      />
    </div>
  )
}

export function HeadCell({ className, ...props }: ComponentProps<'th'>) {
  return (
    <th
      scope="col"
      className={clsx(
        'h-8 whitespace-nowrap border-border border-b px-3 font-medium text-small text-text-2',
        className,
      )}
      {...props}
    />
  )
}

export function ActionsHead() {
  return (
    <HeadCell>
      <span className="sr-only">Actions</span>
    </HeadCell>
  )
}

export function Row({ className, ...props }: ComponentProps<'tr'>) {
  return (
    <tr
      className={clsx(
        'border-border border-b last:border-b-0 hover:bg-row-hover',
        'stacked:block stacked:px-3 stacked:py-2',
        className,
      )}
      {...props}
    />
  )
}

const STACKED =
  'stacked:relative stacked:block stacked:h-auto stacked:max-w-none stacked:whitespace-normal stacked:break-words stacked:px-0 stacked:text-left'
const NAMED =
  'stacked:pl-32 stacked:before:absolute stacked:before:left-0 stacked:before:w-30 stacked:before:text-small stacked:before:text-text-2 stacked:before:content-[attr(data-label)]'

/** `label`: name of the column, for a stacked table; absent: the value needs none. */
export function Cell({
  className,
  label,
  ...props
}: ComponentProps<'td'> & { readonly label?: string }) {
  return (
    <td
      data-label={label}
      className={clsx(
        'h-(--row) base:max-w-80 base:truncate base:px-3 py-1 pointer-coarse:h-11',
        STACKED,
        label !== undefined && NAMED,
        className,
      )}
      {...props}
    />
  )
}
