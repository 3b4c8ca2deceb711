import { Lock } from 'lucide-react'

/** Replaces a list or a page that the reader's role may not see. */
export function Refusal({ children }: { readonly children: string }) {
  return (
    <p className="flex items-start gap-2 px-4 py-6 text-text-2">
      <Lock size={16} aria-hidden className="mt-0.5 shrink-0" />
      {children}
    </p>
  )
}
