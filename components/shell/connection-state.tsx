'use client'
// Whether the page is up to date, always visible: Live, Reconnecting, Offline.
import { CloudOff, LoaderCircle, Radio } from 'lucide-react'
import { useConnectionState } from '../live/use-connection-state.ts'
import { cn } from '../ui/class-names.ts'

const LOOKS = {
  live: { icon: Radio, word: 'Live', hue: 'text-info-fg' },
  reconnecting: { icon: LoaderCircle, word: 'Reconnecting', hue: 'text-warning-fg' },
  offline: { icon: CloudOff, word: 'Offline', hue: 'text-text-3' },
} as const

/** `isWordHidden`: on screens that leave room for the icon only. */
export function ConnectionState({ isWordHidden = false }: { readonly isWordHidden?: boolean }) {
  const state = useConnectionState()
  const { icon: Icon, word, hue } = LOOKS[state]
  return (
    <p
      role="status"
      data-connection={state}
      className={cn('flex items-center gap-1.5 px-2 text-small', hue)}
    >
      <Icon size={14} className={state === 'live' ? 'live-dot' : undefined} aria-hidden />
      <span className={isWordHidden ? 'hidden lg:inline' : undefined}>{word}</span>
    </p>
  )
}
