'use client'
import { useSyncExternalStore } from 'react'

const never = () => () => undefined
const isApple = () => /Mac|iPhone|iPad/.test(navigator.userAgent)

/** `⌘⇧Enter` on Apple keyboards, `Ctrl+Shift+Enter` on others. */
export function useKeyText(keys: string): string {
  const apple = useSyncExternalStore(never, isApple, () => false)
  if (apple) return keys
  return keys.replaceAll('⌘', 'Ctrl+').replaceAll('⌥', 'Alt+').replaceAll('⇧', 'Shift+')
}

/** `children`: keys with Apple's symbols for modifiers. */
export function Kbd({ children }: { readonly children: string }) {
  return (
    <kbd className="inline-flex h-[18px] min-w-[18px] items-center justify-center whitespace-nowrap rounded-badge border border-border bg-surface-2 px-1 text-micro text-text-3 pointer-coarse:hidden">
      {useKeyText(children)}
    </kbd>
  )
}
