'use client'
// Keys that work on every page, and the sheet (`?`) that lists them from the table that binds them.
import { useRouter } from 'next/navigation'
import { useTheme } from 'next-themes'
import { type ReactNode, useEffect, useEffectEvent, useId, useState } from 'react'
import { Dialog } from '@/components/ui/dialog.tsx'
import { Kbd } from '@/components/ui/kbd.tsx'
import { useZone } from '@/components/ui/time.tsx'
import { DESTINATIONS } from './destinations.ts'
import { useLinkTo } from './environment-switcher.tsx'
import { bindKeys, isSecondKey } from './key-sequence.ts'
import { useListedKeys } from './page-keys.ts'
import { flipRail } from './preferences.ts'
import { flipZone } from './zone-cookie.ts'

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
  const pageKeys = useListedKeys()
  const pages = [...new Set(pageKeys.map(({ page }) => page))]
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
    { keys: 'Shift+?', does: 'this list', run: () => setOpen(true) },
  ]
  const run = useEffectEvent((event: KeyboardEvent, wanted: string) => {
    if (isTyping(event, wanted) || (!wanted.includes(' ') && isSecondKey(event))) return
    if (!wanted.startsWith('$mod') && localStorage.getItem('sb_shortcuts') === 'off') return
    event.preventDefault()
    shortcuts.find(({ keys }) => keys === wanted)?.run()
  })
  const names = shortcuts.map(({ keys }) => keys).join('\n')
  useEffect(() => bindKeys(names.split('\n'), (event, name) => run(event, name)), [names])
  return (
    <Dialog
      open={open}
      onOpenChange={setOpen}
      title="Keys"
      description="Single keys can be switched off in Settings › Profile."
    >
      {pages.map((page) => (
        <KeyGroup key={page} name={page}>
          {pageKeys
            .filter((listed) => listed.page === page)
            .map(({ shown, does }) => (
              <KeyRow key={`${shown} ${does}`} keys={shown} does={does} />
            ))}
        </KeyGroup>
      ))}
      <KeyGroup name="everywhere">
        <KeyRow keys="⌘K" does="search or jump" />
        {shortcuts.map(({ keys, shown, does }) => (
          <KeyRow key={keys} keys={shown ?? keys.replace('Shift+', '')} does={does} />
        ))}
      </KeyGroup>
    </Dialog>
  )
}

/** Keys of one page, or of all pages. */
function KeyGroup({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="not-first:mt-3">
      <h3 id={id} className="mb-1 font-medium text-small first-letter:uppercase">
        {name}
      </h3>
      <ul className="grid grid-cols-1 gap-x-6 gap-y-1 sm:grid-cols-2">{children}</ul>
    </section>
  )
}

function KeyRow({ keys, does }: { readonly keys: string; readonly does: string }) {
  return (
    <li className="flex items-center justify-between gap-3">
      <span className="text-text-2">{does}</span>
      <Kbd>{keys}</Kbd>
    </li>
  )
}
