'use client'
// Short messages at the corner; never the only place where something is said.
import { Toaster as Sonner, toast } from 'sonner'

export { toast }

export function Toaster() {
  return (
    <Sonner
      position="bottom-right"
      toastOptions={{
        unstyled: true,
        classNames: {
          toast:
            'flex w-80 items-start gap-3 rounded-card border border-border bg-surface p-3 text-body text-text shadow-lg',
          description: 'text-text-2',
          actionButton: 'ml-auto shrink-0 font-medium text-link',
        },
      }}
    />
  )
}
