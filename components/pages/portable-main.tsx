// One standalone file: no server, no network (scripts/build-page.mjs).
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { ZoneProvider } from '@/components/ui/time.tsx'
import { OpenPage } from './open-page.tsx'

/** Bundle that `signalbox open --page` embedded in the page; null: none. */
function readEmbeddedBundle(): Uint8Array | null {
  const text = document.getElementById('bundle')?.textContent?.trim() ?? ''
  return text === '' ? null : Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}

function followTheme(): void {
  const dark = window.matchMedia('(prefers-color-scheme: dark)')
  const set = (): void => void document.documentElement.classList.toggle('dark', dark.matches)
  set()
  dark.addEventListener('change', set)
}

const root = document.getElementById('root')
if (root === null) throw new Error('The page has no root.')
followTheme()
createRoot(root).render(
  <StrictMode>
    <ZoneProvider zone={Intl.DateTimeFormat().resolvedOptions().timeZone}>
      <OpenPage carried={readEmbeddedBundle()} />
    </ZoneProvider>
  </StrictMode>,
)
