// Loaded late: most readers of a session control nothing.
'use client'

import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { lazyDialog } from '@/components/ui/lazy-popup.tsx'
import { StatusBadge } from '@/components/ui/status-badge.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { SessionControl as Control } from '@/server/session-orders/session-orders.ts'
import { describeControl, listActions, type OrderAction } from './control-words.ts'

const OrderDialog = lazyDialog(() =>
  import('./order-dialog.tsx').then((module) => module.OrderDialog),
)

/** A runtime that stops reporting changes no row, so its reachability is read again. */
const LOOK_EVERY_MS = 15_000

export function SessionControl({ sessionId }: { readonly sessionId: string }) {
  const trpc = useTRPC()
  const control = useQuery({
    ...trpc.sessionOrders.control.queryOptions({ sessionId }),
    refetchInterval: LOOK_EVERY_MS,
  })
  useReadOnChange({ kind: 'session', id: sessionId }, control)
  const [asked, setAsked] = useState<OrderAction | null>(null)
  const { data } = control
  return (
    <Bar>
      {data === undefined ? (
        <p className="text-text-2">{control.error === null ? '' : control.error.message}</p>
      ) : (
        <>
          <ControlText control={data} />
          <div className="flex shrink-0 gap-2">
            {listActions(data).map(({ action, verb }) => (
              <Button key={action} onClick={() => setAsked(action)}>
                {verb}
              </Button>
            ))}
          </div>
        </>
      )}
      {asked === null || data === undefined ? null : (
        <OrderDialog
          sessionId={sessionId}
          action={asked}
          isReachable={data.isReachable}
          onClose={() => setAsked(null)}
        />
      )}
    </Bar>
  )
}

/** Has the height of its placeholder, so that nothing moves when it is loaded. */
function Bar({ children }: { readonly children: ReactNode }) {
  return (
    <section
      aria-label="Control of the session"
      className="no-print flex min-h-12 flex-wrap max-sm:min-h-21 items-center justify-between gap-x-4 gap-y-1 border-border border-b bg-surface px-4 py-1.5 text-small"
    >
      {children}
    </section>
  )
}

function ControlText({ control }: { readonly control: Control }) {
  const { badges, text, at, note } = describeControl(control)
  return (
    <p
      className="flex min-w-0 flex-1 basis-64 flex-wrap items-center gap-x-2 gap-y-0.5"
      aria-live="polite"
    >
      {badges.map(({ look, word }) => (
        <StatusBadge key={word} status={look}>
          {word}
        </StatusBadge>
      ))}
      {text === null ? null : (
        <span className="min-w-0 break-words">
          {text}
          {at === null ? null : (
            <span className="text-text-2">
              {' '}
              · <Timestamp at={at} style="second" />
            </span>
          )}
        </span>
      )}
      {note === null ? null : <span className="text-text-2">{note}</span>}
    </p>
  )
}
