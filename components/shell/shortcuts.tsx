'use client'
// The sheet (`?`) lists the keys from the table that binds them.
import { useRouter } from 'next/navigation'
import { useTheme } from 'next-themes'
import { useEffect, useEffectEvent, useLayoutEffect, useState } from 'react'
import { lazyDialog } from '@/components/ui/lazy-popup.tsx'
import { useZone } from '@/components/ui/time.tsx'
import { DESTINATIONS } from './destinations.ts'
import { useLinkTo } from './environment-switcher.tsx'
import { bindKeys, isSecondKey } from './key-sequence.ts'
import { flipRail } from './preferences.ts'
import { flipZone } from './zone-cookie.ts'

const KeysSheet = lazyDialog(() => import('./keys-sheet.tsx').then((module) => module.KeysSheet))

interface Shortcut {
  readonly keys: string
  /** Display form; absent: `keys`. */
  readonly shown?: string
  readonly does: string
  readonly run: () => void
}

/** Returns true if the shortcut must not run: while typing, in a dialog, or with a modifier key. Shortcuts with ⌘ (Ctrl) run there, too. */
function isTyping(event: KeyboardEvent, keys: string): boolean {
  if (keys.startsWith('$mod')) return event.isComposing || event.defaultPrevented
  const target = event.target
  if (event.isComposing || event.metaKey || event.ctrlKey || event.altKey) return true
  return (
    target instanceof HTMLElement &&
    target.closest('input, textarea, select, [contenteditable="true"], [role="dialog"]') !== null
  )
}

export function Shortcuts() {
  const [open, setOpen] = useState(false)
  const router = useRouter()
  const linkTo = useLinkTo()
  const zone = useZone()
  const { resolvedTheme, setTheme } = useTheme()
  const shortcuts: readonly Shortcut[] = [
    ...DESTINATIONS.map(({ key, name, href }) => ({
      keys: `g ${key}`,
      does: name,
      run: () => router.push(linkTo(href)),
    })),
    {
      keys: 't',
      does: 'switch theme',
      run: () => setTheme(resolvedTheme === 'dark' ? 'light' : 'dark'),
    },
    { keys: '$mod+b', shown: '⌘B', does: 'collapse or expand the rail', run: flipRail },
    { keys: 'u', does: 'UTC or your own time zone', run: () => flipZone(zone) },
    { keys: 'Shift+?', does: 'show shortcuts', run: () => setOpen(true) },
  ]
  const run = useEffectEvent((event: KeyboardEvent, wanted: string) => {
    if (isTyping(event, wanted) || (!wanted.includes(' ') && isSecondKey(event))) return
    if (!wanted.startsWith('$mod') && localStorage.getItem('sb_shortcuts') === 'off') return
    event.preventDefault()
    shortcuts.find(({ keys }) => keys === wanted)?.run()
  })
  const names = shortcuts.map(({ keys }) => keys).join('\n')
  useEffect(() => {
    const click = ({ target }: MouseEvent) => {
      if (target instanceof Element && target.closest('[data-keys]') !== null) setOpen(true)
    }
    window.addEventListener('click', click)
    return () => window.removeEventListener('click', click)
  }, [])
  useLayoutEffect(() => bindKeys(names.split('\n'), (event, name) => run(event, name)), [names])
  return open ? <KeysSheet everywhere={shortcuts} onClose={() => setOpen(false)} /> : null
}
