'use client'
// Never the only place of a message. The renderer is fetched at the first interaction with the page or with the first message.
import { useEffect, useState } from 'react'
import { atFirstUse } from './first-use.ts'
import { lazyModule, useLazyModule } from './lazy-section.tsx'
import type { ToastShape } from './toast-shape.ts'

type Options = Omit<ToastShape, 'kind' | 'text'>
type Show = (toast: ToastShape) => void

const TOASTER = lazyModule(() => import('./toaster.tsx').then((module) => module.Toaster))

let show: Show | null = null
let early: readonly ToastShape[] = []

function showOrQueue(toast: ToastShape): void {
  if (show === null) {
    early = [...early, toast]
    TOASTER.fetch()
  } else {
    show(toast)
  }
}

function plain(text: string, options?: Options): void {
  showOrQueue({ kind: 'plain', text, ...options })
}

export const toast = Object.assign(plain, {
  error: (text: string, options?: Options) => showOrQueue({ kind: 'error', text, ...options }),
  success: (text: string) => showOrQueue({ kind: 'success', text }),
})

function begin(use: Show): void {
  show = use
  const waiting = early
  early = []
  for (const one of waiting) use(one)
}

export function Toaster() {
  const [isWanted, setWanted] = useState(false)
  useEffect(() => atFirstUse(() => setWanted(true)), [])
  const state = useLazyModule(TOASTER, isWanted)
  return state.kind === 'loaded' ? <state.Part onReady={begin} /> : null
}
