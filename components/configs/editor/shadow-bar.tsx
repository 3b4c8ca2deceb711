'use client'
import { ShieldCheck } from 'lucide-react'
import { Button } from '@/components/ui/button.tsx'
import {
  describeEnforcing,
  enforceAll,
  findShadowPlaces,
  hasShadow,
  nameEnforcing,
} from './shadow-places.ts'
import type { EditorDocument } from './use-document.ts'

/** Offers to turn on everything that the draft only records. */
export function ShadowBar({ doc }: { readonly doc: EditorDocument }) {
  const { value, isFrozen, edit } = doc
  if (value === null || isFrozen) return null
  const places = findShadowPlaces(value)
  if (!hasShadow(places)) return null
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-border border-b bg-surface-2 px-4 py-1">
      <p className="min-w-0 flex-1 basis-80 text-text-2">
        Shadow mode only records. When enforced: {describeEnforcing(places)}.
      </p>
      <Button onClick={() => edit((text) => enforceAll(text, value))}>
        <ShieldCheck size={14} aria-hidden /> {nameEnforcing(places)}
      </Button>
    </div>
  )
}
