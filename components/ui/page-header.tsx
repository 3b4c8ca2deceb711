import type { ReactNode } from 'react'

export function PageHeader({
  title,
  above,
  badge,
  facts,
  actions,
}: {
  readonly title: ReactNode
  readonly above?: ReactNode
  readonly badge?: ReactNode
  readonly facts?: ReactNode
  readonly actions?: ReactNode
}) {
  return (
    <header className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 border-border border-b bg-surface px-4 py-3">
      <div className="min-w-0 flex-1 basis-96">
        {above !== undefined && <div className="text-small text-text-2">{above}</div>}
        <div className="flex min-w-0 flex-wrap items-center gap-2">
          {badge}
          <h1 className="min-w-0 break-words font-semibold text-h1">{title}</h1>
        </div>
        {facts !== undefined && (
          <div className="mt-0.5 flex flex-wrap items-center gap-x-1.5 text-text-2">{facts}</div>
        )}
      </div>
      {actions !== undefined && (
        <div className="flex flex-wrap items-center gap-2 max-sm:w-full max-sm:*:flex-auto">
          {actions}
        </div>
      )}
    </header>
  )
}
