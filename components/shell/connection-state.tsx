'use client'
import { clsx } from 'clsx'
import { CloudOff, LoaderCircle } from 'lucide-react'
import { CONNECTION_WORD } from '@/components/live/connection-word.ts'
import { useConnectionState } from '@/components/live/use-connection-state.ts'

export function ConnectionState({ isWordHidden = false }: { readonly isWordHidden?: boolean }) {
  const { state } = useConnectionState()
  const Icon = state === 'offline' ? CloudOff : LoaderCircle
  return (
    <p
      data-connection={state}
      className={clsx(
        'flex items-center gap-1.5 px-2 text-small',
        isWordHidden && 'justify-center rail:justify-start',
        state === 'reconnecting' ? 'text-warning-fg' : 'text-text-2',
      )}
      title={CONNECTION_WORD[state]}
    >
      {state === 'live' ? (
        <span className="live-dot size-2 rounded-full bg-allow-mark" />
      ) : (
        <Icon size={14} aria-hidden />
      )}
      <span role="status" className={isWordHidden ? 'sr-only rail:not-sr-only' : undefined}>
        {CONNECTION_WORD[state]}
      </span>
    </p>
  )
}
