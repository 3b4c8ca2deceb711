import { AnnotateButton } from '@/components/annotations/annotate-button.tsx'
import { type Annotations, annotationsOn } from '@/components/annotations/use-annotations.ts'
import { LabelControl } from '@/components/labels/lazy-label-control.ts'
import { MarkButton } from '@/components/labels/mark-button.tsx'
import { useFoundLabel } from '@/components/labels/use-found-label.ts'
import { lazySection } from '@/components/ui/lazy-section.tsx'
import type { EventRow } from './rows/session-rows.ts'
import { isDecision } from './rows/verdict.tsx'

const AnnotationList = lazySection(
  () =>
    import('@/components/annotations/annotation-list.tsx').then((module) => module.AnnotationList),
  null,
)

interface NotesProps {
  readonly sessionId: string
  readonly selected: EventRow
  readonly annotations: Annotations
  readonly onAnnotate: () => void
  /** Marks the decision as bad. */
  readonly onMark: () => void
}

/** The annotations of the selected event, and the label of its decision. */
export function Notes(props: NotesProps) {
  const { selected, annotations, onAnnotate } = props
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
        {isDecision(selected) ? <DecisionLabel {...props} /> : null}
      </div>
    </div>
  )
}

/** Most decisions have no label, so its control is loaded only for those that have one. */
function DecisionLabel({ sessionId, selected: { seq, type }, onMark }: NotesProps) {
  if (useFoundLabel({ sessionId, seq }) === undefined)
    return <MarkButton seq={seq} hasKey onMark={onMark} />
  const canPrevent = type !== 'content.decided'
  return <LabelControl sessionId={sessionId} seq={seq} canPrevent={canPrevent} hasKey />
}
