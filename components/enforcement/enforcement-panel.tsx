'use client'

import { plural } from '@signalbox/core/analysis'
import { clsx } from 'clsx'
import { ChevronDown, ChevronUp } from 'lucide-react'
import { lazySection } from '@/components/ui/lazy-section.tsx'
import { SkeletonRows } from '@/components/ui/states.tsx'
import { StatusIcon } from '@/components/ui/status-badge.tsx'
import type { SessionHead } from '@/server/sessions/session-head.sql.ts'
import { BAND_CLASS } from './band.ts'
import { harnessText } from './harness-text.ts'

const ShortfallList = lazySection(
  () => import('./shortfall-list.tsx').then((module) => module.ShortfallList),
  <SkeletonRows />,
)

export interface EnforcementPanelProps {
  readonly head: SessionHead
  readonly isOpen: boolean
  readonly onToggle: () => void
  readonly onSelect: (seq: number) => void
}

export function EnforcementPanel({ head, isOpen, onToggle, onSelect }: EnforcementPanelProps) {
  const { shortfalls } = head
  const [first] = shortfalls
  if (first === undefined) return null
  const Chevron = isOpen ? ChevronUp : ChevronDown
  return (
    <section aria-label="Not enforced" className={clsx('border-b', BAND_CLASS[first.severity])}>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={onToggle}
        className="flex min-h-8 w-full items-center gap-1.5 px-4 py-1 text-left pointer-coarse:min-h-11"
      >
        <StatusIcon status={first.severity} />
        <span className="min-w-0 flex-1 truncate">
          <span className="font-medium">Not fully enforced</span>
          {isOpen ? ` in ${harnessText(head.harness)}` : `: ${first.sentence}`}
        </span>
        <span className="whitespace-nowrap text-small">{plural(shortfalls.length, 'reason')}</span>
        <Chevron aria-hidden size={16} className="shrink-0" />
      </button>
      {isOpen ? (
        <div
          className="max-h-48 overflow-y-auto px-4 pb-2 text-text"
          tabIndex={0}
          role="region"
          aria-label="Reasons"
        >
          <ShortfallList sessionId={head.id} shortfalls={shortfalls} onSelect={onSelect} />
        </div>
      ) : null}
    </section>
  )
}
