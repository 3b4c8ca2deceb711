import { useQuery } from '@tanstack/react-query'
import { AnnotateButton } from '@/components/annotations/annotate-button.tsx'
import { type Annotations, annotationsOn } from '@/components/annotations/use-annotations.ts'
import { LabelControl } from '@/components/labels/lazy-label-control.ts'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { useRight } from '@/components/shell/use-right.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Kbd } from '@/components/ui/kbd.tsx'
import { lazySection } from '@/components/ui/lazy-section.tsx'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
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
  const trpc = useTRPC()
  const labels = useQuery(trpc.labels.list.queryOptions({ sessionId }))
  useReadOnChange({ kind: 'label', id: sessionId }, labels)
  const right = useRight('editor')
  if (labels.data?.some((label) => label.seq === seq)) {
    return (
      <LabelControl
        sessionId={sessionId}
        seq={seq}
        canPrevent={type !== 'content.decided'}
        hasKey
      />
    )
  }
  return (
    <ReasonedButton {...right} className="no-print self-start" onClick={onMark}>
      {`Mark #${seq} as bad`} <Kbd>!</Kbd>
    </ReasonedButton>
  )
}
