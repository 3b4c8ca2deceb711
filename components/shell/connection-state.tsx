'use client'
import { clsx } from 'clsx'
import { CloudOff, LoaderCircle, Radio } from 'lucide-react'
import { downText } from '@/components/live/down-text.ts'
import { useConnectionState } from '@/components/live/use-connection-state.ts'
import { useNow } from '@/components/ui/time.tsx'

const LOOKS = {
  live: { icon: Radio, hue: 'text-info-fg' },
  reconnecting: { icon: LoaderCircle, hue: 'text-warning-fg' },
  offline: { icon: CloudOff, hue: 'text-text-3' },
} as const

export function ConnectionState({ isWordHidden = false }: { readonly isWordHidden?: boolean }) {
  const connection = useConnectionState()
  const now = useNow()
  const { icon: Icon, hue } = LOOKS[connection.state]
  const word = downText(connection, now)
  return (
    <p
      data-connection={connection.state}
      className={clsx(
        'flex items-center gap-1.5 px-2 text-small tabular-nums',
        isWordHidden && 'justify-center rail:justify-start',
        hue,
      )}
      title={connection.state === 'live' ? undefined : 'The page keeps its current content'}
    >
      <Icon
        size={14}
        className={connection.state === 'live' ? 'live-dot' : undefined}
        aria-hidden
      />
      <span className={isWordHidden ? 'hidden rail:inline' : undefined}>{word}</span>
      {/* Announced when the state changes, not every second. */}
      <span role="status" className="sr-only">
        {WORD[connection.state]}
      </span>
    </p>
  )
}

const WORD = {
  live: 'Live updates on',
  reconnecting: 'Live updates: reconnecting',
  offline: 'Live updates: offline',
} as const
