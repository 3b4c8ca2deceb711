'use client'
// Text typed before its chunk has loaded is passed on to it.
import { useEffect, useState } from 'react'
import { lazyPopup, PopupFailure, useLazyPopup } from '@/components/ui/lazy-popup.tsx'
import { PALETTE_BOX, PALETTE_HINT, PALETTE_INPUT, PALETTE_NAME } from './palette-look.ts'

const PALETTE = lazyPopup(() => import('./palette.tsx').then((module) => module.PaletteDialog))

export function CommandPalette() {
  const [open, setOpen] = useState(false)
  const [early, setEarly] = useState('')
  useEffect(() => {
    const toggle = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return
      event.preventDefault()
      setOpen((now) => !now)
      setEarly('')
    }
    const click = ({ target }: MouseEvent) => {
      if (target instanceof Element && target.closest('[data-palette]') !== null) setOpen(true)
    }
    window.addEventListener('keydown', toggle)
    window.addEventListener('click', click)
    return () => {
      window.removeEventListener('keydown', toggle)
      window.removeEventListener('click', click)
    }
  }, [])
  const { Part, hasFailed } = useLazyPopup(PALETTE, open)
  if (Part !== null) return <Part open={open} onOpenChange={setOpen} typed={early} />
  if (hasFailed) return <PopupFailure onRetry={PALETTE.fetch} />
  return open ? <EarlyInput text={early} onType={setEarly} onClose={() => setOpen(false)} /> : null
}

function EarlyInput({
  text,
  onType,
  onClose,
}: {
  readonly text: string
  readonly onType: (text: string) => void
  readonly onClose: () => void
}) {
  return (
    <div role="dialog" aria-label={PALETTE_NAME} className={PALETTE_BOX}>
      <input
        // biome-ignore lint/a11y/noAutofocus: the user opened the palette in order to type.
        autoFocus
        aria-label={PALETTE_NAME}
        placeholder={PALETTE_HINT}
        className={PALETTE_INPUT}
        value={text}
        onChange={({ currentTarget }) => onType(currentTarget.value)}
        onKeyDown={({ key }) => key === 'Escape' && onClose()}
      />
    </div>
  )
}
