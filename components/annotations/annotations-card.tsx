// Annotations are not part of the log, and the card states it.
'use client'

import { Card, CardHeader } from '@/components/ui/card.tsx'
import { ErrorState } from '@/components/ui/states.tsx'
import { Annotate } from './annotate-button.tsx'
import { AnnotationList } from './annotation-list.tsx'
import { useAnnotations } from './use-annotations.ts'

export function AnnotationsCard({
  sessionId,
  seqs,
}: {
  readonly sessionId: string
  /** Sequence numbers of the explanation's events, the decision last. */
  readonly seqs: readonly number[]
}) {
  const { all, error, retry } = useAnnotations(sessionId)
  const shown = (all ?? []).filter(({ seq }) => seq === null || seqs.includes(seq))
  return (
    <Card className={shown.length === 0 ? 'print:hidden' : ''}>
      <CardHeader
        title="Annotations"
        aside="notes by users, not part of the record"
        actions={<Annotate sessionId={sessionId} seq={seqs.at(-1) ?? null} />}
      />
      {error === null ? null : (
        <ErrorState what="The annotations could not be loaded." why={error} onRetry={retry} />
      )}
      {shown.length > 0 ? (
        <AnnotationList annotations={shown} />
      ) : all === undefined ? null : (
        <p className="px-3 py-2 text-text-2">No annotations yet.</p>
      )}
    </Card>
  )
}
