import { AnnotateButton } from '@/components/annotations/annotate-button.tsx'
import { type Annotations, annotationsOn } from '@/components/annotations/use-annotations.ts'
import { LabelControl } from '@/components/labels/label-control.tsx'
import { lazySection } from '@/components/ui/lazy-section.tsx'
import type { EventRow } from './rows/session-rows.ts'
import { isDecision } from './rows/verdict.tsx'

const AnnotationList = lazySection(
  () =>
    import('@/components/annotations/annotation-list.tsx').then((module) => module.AnnotationList),
  null,
)

/** The annotations of the selected event, and the label of its decision. */
export function Notes({
  sessionId,
  selected,
  annotations,
  onAnnotate,
}: {
  readonly sessionId: string
  readonly selected: EventRow
  readonly annotations: Annotations
  readonly onAnnotate: () => void
}) {
  const written = annotationsOn(annotations, selected.members)
  return (
    <div className="flex flex-col gap-2">
      {written.length === 0 ? null : (
        <div className="rounded-control border border-border">
          <AnnotationList annotations={written} />
        </div>
      )}
      <div className="flex flex-wrap gap-2">
        <AnnotateButton seq={selected.seq} onAsk={onAnnotate} hasKey />
        {isDecision(selected) ? (
          <LabelControl
            sessionId={sessionId}
            seq={selected.seq}
            canPrevent={selected.type !== 'content.decided'}
            hasKey
          />
        ) : null}
      </div>
    </div>
  )
}
