'use client'

import { useEffect, useEffectEvent } from 'react'
import { Toaster as Sonner, toast } from 'sonner'
import type { ToastShape } from './toast-shape.ts'

const SHOW = { plain: toast, error: toast.error, success: toast.success } as const

function show({ kind, text, ...options }: ToastShape): void {
  SHOW[kind](text, options)
}

export function Toaster({ onReady }: { readonly onReady: (use: typeof show) => void }) {
  const isReady = useEffectEvent(() => onReady(show))
  // Effects of children run first, so the listener for messages exists by now.
  useEffect(() => isReady(), [])
  return (
    <Sonner
      position="bottom-right"
      toastOptions={{
        unstyled: true,
        classNames: {
          toast:
            'flex w-80 items-start gap-3 font-sans rounded-card border border-border bg-surface p-3 text-body text-text shadow-lg',
          description: 'text-text-2',
          actionButton: 'ml-auto shrink-0 font-medium text-link',
        },
      }}
    />
  )
}
