import { durationText } from '@/components/ui/time.tsx'
import type { Connection } from './signal.ts'

const WORD = { live: 'Live', reconnecting: 'Reconnecting', offline: 'Offline' } as const

/** `now`: epoch ms; null: rendering on the server. */
export function downText({ state, since }: Connection, now: number | null): string {
  if (since === null || now === null) return WORD[state]
  const passed = Math.max(1, Math.round((now - since) / 1000))
  return `${WORD[state]} ${durationText(passed * 1000).replace('.0', '')}`
}
