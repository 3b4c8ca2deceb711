'use client'

import { plural } from '@signalbox/core/analysis'
import { useAnnotations } from '@/components/annotations/use-annotations.ts'
import { copyText } from '@/components/kit/list/copy-link.ts'
import { Link } from '@/components/ui/link.tsx'
import { EmptyState } from '@/components/ui/states.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { SessionHead } from '@/server/sessions/session-head.sql.ts'
import { AnnotationsTab } from './lazy-tabs.tsx'
import { SessionHeader } from './session-header.tsx'

export function RetentionNotice({
  head,
  removed,
}: {
  readonly head: SessionHead
  readonly removed: NonNullable<SessionHead['removed']>
}) {
  const annotations = useAnnotations(head.id)
  const copy = (): void => copyText(window.location.href, 'Link copied')
  return (
    <div className="flex flex-col">
      <SessionHeader head={head} onCopyLink={copy} />
      <EmptyState
        title={`Events older than ${plural(removed.days, 'day')} were removed by the retention rule; decisions are kept.`}
      >
        <p>
          Removed <Timestamp at={removed.at} style="second" />. The figures above are kept, and so
          are its {plural(head.stopAttempts, 'stop')} and {plural(head.denied, 'denial')} in the
          lists. Pinned cases keep their own copies.
        </p>
        <p>
          <Link className="text-link" href="/settings/retention">
            The retention rule
          </Link>
        </p>
      </EmptyState>
      <section aria-label="Annotations" className="border-border border-t">
        <AnnotationsTab annotations={annotations} />
      </section>
    </div>
  )
}
