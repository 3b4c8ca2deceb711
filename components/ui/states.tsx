'use client'
import { clsx } from 'clsx'
import { RotateCw } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { CopyButton } from './copy.tsx'
import { StatusIcon } from './status-badge.tsx'

export function EmptyState({
  title,
  children,
  action,
}: {
  readonly title: string
  readonly children?: ReactNode
  readonly action?: ReactNode
}) {
  return (
    <div className="flex flex-col items-start gap-2 px-4 py-6">
      <p className="font-medium">{title}</p>
      {children !== undefined && <div className="w-full max-w-[55rem] text-text-2">{children}</div>}
      {action}
    </div>
  )
}

/** Rejection of tRPC's client; `data` is missing if there was no answer. */
export interface Failure {
  readonly message: string
  readonly data?: unknown
}

/** Replaces a browser's "Failed to fetch". */
const NO_ANSWER = 'The server did not answer. Check the connection, and try again.'

function findFailedRequestId({ data }: Failure): string | null {
  if (typeof data !== 'object' || data === null || !('requestId' in data)) return null
  return typeof data.requestId === 'string' ? data.requestId : null
}

export function ErrorState({
  what,
  why,
  onRetry,
}: {
  readonly what: string
  readonly why: string | Failure
  readonly onRetry?: () => void
}) {
  const failure = typeof why === 'string' ? null : why
  const requestId = failure === null ? null : findFailedRequestId(failure)
  const isUnanswered = failure !== null && (failure.data === undefined || failure.data === null)
  return (
    <div role="alert" className="flex flex-col items-start gap-2 px-4 py-6">
      <p className="font-medium text-deny-fg">{what}</p>
      <p className="max-w-[55rem] text-text-2">
        {isUnanswered ? NO_ANSWER : (failure?.message ?? String(why))}
      </p>
      {requestId === null ? null : (
        <p className="flex items-center gap-1 text-small text-text-2">
          Request <code className="font-mono text-mono">{requestId}</code>
          <CopyButton text={requestId} label="Copy the request's id" />
        </p>
      )}
      {onRetry !== undefined && (
        <Button onClick={onRetry}>
          <RotateCw size={14} aria-hidden />
          Try again
        </Button>
      )}
    </div>
  )
}

/** Announced immediately. Takes no space while empty. */
export function ErrorLine({
  children,
  className,
}: {
  readonly children: ReactNode
  readonly className?: string
}) {
  if (children === null || children === undefined) return null
  return (
    <p role="alert" className={clsx('text-deny-fg', className)}>
      {children}
    </p>
  )
}

export function WarningLine({ children }: { readonly children: ReactNode }) {
  return (
    <p className="flex items-start gap-1.5 text-warning-fg">
      <span className="mt-0.5">
        <StatusIcon status="warning" />
      </span>
      <span>{children}</span>
    </p>
  )
}

export function Skeleton({ className }: { readonly className?: string }) {
  return (
    <div
      aria-hidden
      data-skeleton
      className={clsx('base:h-4 rounded-badge bg-surface-3', className)}
    />
  )
}

const WIDTHS = ['w-4/5', 'w-3/5', 'w-2/3', 'w-3/4', 'w-1/2', 'w-5/6', 'w-7/12', 'w-7/10'] as const

export function SkeletonRows() {
  return (
    <div role="status" aria-label="Loading" className="flex flex-col gap-3 px-4 py-3">
      {WIDTHS.map((width) => (
        <Skeleton key={width} className={width} />
      ))}
    </div>
  )
}
