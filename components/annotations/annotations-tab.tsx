'use client'

import { EmptyState, ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { Annotate } from './annotate-button.tsx'
import { AnnotationList } from './annotation-list.tsx'
import type { Annotations } from './use-annotations.ts'

export function AnnotationsTab({
  annotations: { sessionId, all, error, retry },
  onShow,
}: {
  readonly annotations: Annotations
  /** Absent: the events are no longer stored. */
  readonly onShow?: (seq: number) => void
}) {
  if (all === undefined) {
    if (error === null) return <SkeletonRows />
    return <ErrorState what="The annotations could not be loaded." why={error} onRetry={retry} />
  }
  if (all.length === 0) {
    return (
      <EmptyState
        title="No annotations yet."
        action={<Annotate sessionId={sessionId} seq={null} />}
      >
        <p>Annotations are notes on a session or event, visible to everyone in the project.</p>
      </EmptyState>
    )
  }
  return (
    <div className="min-h-0 flex-1 overflow-y-auto bg-surface">
      <div className="border-border border-b px-3 py-1.5">
        <Annotate sessionId={sessionId} seq={null} />
      </div>
      <AnnotationList annotations={all} {...(onShow === undefined ? {} : { onShow })} />
    </div>
  )
}
