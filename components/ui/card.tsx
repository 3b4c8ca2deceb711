import { clsx } from 'clsx'
import type { ReactNode } from 'react'

export function Card({
  children,
  className,
}: {
  readonly children: ReactNode
  readonly className?: string
}) {
  return (
    <section className={clsx('rounded-card border base:border-border base:bg-surface', className)}>
      {children}
    </section>
  )
}

export function CardHeader({
  title,
  aside,
  actions,
}: {
  readonly title: ReactNode
  readonly aside?: ReactNode
  readonly actions?: ReactNode
}) {
  return (
    <header className="flex min-h-9 items-center justify-between gap-3 max-sm:flex-wrap border-border border-b px-3 py-1">
      <div className="flex min-w-0 flex-wrap items-baseline gap-x-2">
        <h2 className="font-semibold text-h2">{title}</h2>
        {aside !== undefined && <span className="text-small text-text-2">{aside}</span>}
      </div>
      {actions}
    </header>
  )
}

export interface KeyValue {
  readonly name: string
  readonly value: ReactNode
}

export function KeyValueList({
  items,
  className,
}: {
  readonly items: readonly KeyValue[]
  readonly className?: string
}) {
  return (
    <dl
      className={clsx(
        'grid grid-cols-[minmax(96px,auto)_1fr] items-baseline gap-x-4 gap-y-1',
        className,
      )}
    >
      {items.map(({ name, value }) => (
        <div key={name} className="contents">
          <dt className="text-text-2">{name}</dt>
          <dd className="min-w-0 break-words">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
