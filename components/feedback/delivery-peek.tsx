'use client'

import { useQuery } from '@tanstack/react-query'
import { Fact, Facts, Peek } from '@/components/kit/list/peek.tsx'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { IdChip } from '@/components/ui/copy.tsx'
import { Link } from '@/components/ui/link.tsx'
import { ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { StatusBadge } from '@/components/ui/status-badge.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { DeliveryDetail } from '@/server/feedback/delivery-detail.ts'
import { FollowedText } from './followed-text.tsx'

export function DeliveryPeek({
  id,
  onClose,
}: {
  readonly id: string
  readonly onClose: () => void
}) {
  const trpc = useTRPC()
  const { data, error, refetch } = useQuery(trpc.feedback.get.queryOptions({ id }))
  return (
    <Peek title="Feedback" onClose={onClose}>
      {data !== undefined ? (
        <DeliveryDetails delivery={data} />
      ) : error === null ? (
        <SkeletonRows />
      ) : (
        <ErrorState
          what="The feedback could not be loaded."
          why={error}
          onRetry={() => void refetch()}
        />
      )}
    </Peek>
  )
}

function DeliveryDetails({ delivery }: { readonly delivery: DeliveryDetail }) {
  const { severity, says, told, removed, followed, provider, name } = delivery
  const { ns, key, environment, at, sessionId, seq } = delivery
  return (
    <div className="flex flex-col items-start gap-3">
      <StatusBadge status={severity} />
      <p className="whitespace-pre-wrap break-words font-semibold text-h1">
        {told?.summary ?? says}
      </p>
      {removed === null ? null : <p className="text-small text-text-2">{removed}</p>}
      <Part
        title="Noticed"
        lines={(told?.observations ?? []).map(({ category, description, evidence }) =>
          [`${category}: ${description}`, evidence].filter(Boolean).join(' · '),
        )}
      />
      <Part title="Suggests" lines={told?.suggestions ?? []} />
      <Facts>
        <Fact name="Followed">
          <FollowedText followed={followed} />
        </Fact>
        <Fact name="Provider">
          <code className="font-mono text-mono">{provider}</code> ({name})
        </Fact>
        <Fact name="Prompt">
          {ns}/{key}
        </Fact>
        <Fact name="Environment">{environment}</Fact>
        <Fact name="At">
          <Timestamp at={at} style="second" />
        </Fact>
        <Fact name="Session">
          <IdChip id={sessionId} label="Copy session id" />
        </Fact>
      </Facts>
      <Link href={`/sessions/${sessionId}?e=${seq}`} className="text-link underline">
        Open in its session
      </Link>
    </div>
  )
}

function Part({ title, lines }: { readonly title: string; readonly lines: readonly string[] }) {
  if (lines.length === 0) return null
  return (
    <section aria-label={title}>
      <h3 className="font-semibold text-h2 text-text-2">{title}</h3>
      <ul className="list-disc pl-5">
        {lines.map((line) => (
          <li key={line} className="break-words">
            {line}
          </li>
        ))}
      </ul>
    </section>
  )
}
