// A plain table with fixed rows, for lists of at most a few hundred. Wide ones scroll inside their own box.
import type { ComponentProps } from 'react'
import { cn } from './class-names.ts'

export function Table({ className, ...props }: ComponentProps<'table'>) {
  return (
    <div className="relative overflow-x-auto print:overflow-visible">
      <table className={cn('w-full border-collapse text-left', className)} {...props} />
    </div>
  )
}

export function HeadCell({ className, ...props }: ComponentProps<'th'>) {
  return (
    <th
      scope="col"
      className={cn(
        'h-8 whitespace-nowrap border-border border-b px-3 font-medium text-small text-text-2',
        className,
      )}
      {...props}
    />
  )
}

/** Over buttons that name themselves; only readers of the page aloud hear it. */
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
      className={cn('border-border border-b last:border-b-0 hover:bg-row-hover', className)}
      {...props}
    />
  )
}

export function Cell({ className, ...props }: ComponentProps<'td'>) {
  return (
    <td
      className={cn('h-(--row) max-w-80 truncate px-3 py-1 pointer-coarse:h-11', className)}
      {...props}
    />
  )
}
