import type { MenuItem } from '@/components/ui/menu-button.tsx'

export interface Peeking {
  readonly shown: string | null
  readonly show: (id: string | null) => void
}

export function peekAction({ shown, show }: Peeking, id: string): MenuItem {
  const isShown = shown === id
  return {
    name: isShown ? 'Close the peek' : 'Peek',
    key: 'peek',
    shortcut: 'Space',
    onSelect: () => show(isShown ? null : id),
  }
}

export function noPeek(refusal: string): MenuItem {
  return { name: 'Peek', key: 'peek', refusal }
}
