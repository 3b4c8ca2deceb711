'use client'
// The release is live only when the runtimes that host its prompt report that they applied it.
import { useQuery } from '@tanstack/react-query'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { type Status, StatusText } from '@/components/ui/status-badge.tsx'
import { durationText } from '@/components/ui/time.tsx'
import type { Adoption, RuntimeAdoption } from '@/server/releases/adoption.ts'
import { StandingBadge } from './release-standing.tsx'
import { adoptionSentence, rejectionText } from './standing-words.ts'

const POLL_MS = 1_000
/** Runtimes that did not apply it in its first minute change rarely. */
const LATE_POLL_MS = 5_000

function isSettled(adoption: Adoption | undefined): boolean {
  const status = adoption?.status
  return status === 'live' || status === 'superseded' || status === 'rolled_back'
}

export function useAdoption(releaseId: string) {
  const trpc = useTRPC()
  const query = useQuery({
    ...trpc.releases.adoption.queryOptions({ releaseId }),
    refetchInterval: ({ state }) =>
      isSettled(state.data) ? false : state.data?.isLate === true ? LATE_POLL_MS : POLL_MS,
  })
  useReadOnChange({ kind: 'runtime' }, query)
  return query
}

export function AdoptionView({ releaseId }: { readonly releaseId: string }) {
  const { data, error, refetch } = useAdoption(releaseId)
  if (error !== null) {
    return (
      <ErrorState
        what="The adoption of the release could not be loaded."
        why={error}
        onRetry={() => void refetch()}
      />
    )
  }
  if (data === undefined) return <SkeletonRows />
  return (
    <div className="flex flex-col gap-3">
      <p role="status" className="flex flex-wrap items-center gap-2 text-h1">
        <StandingBadge release={data} />
        <span>{describeAdoption(data)}</span>
      </p>
      {data.runtimes.length > 0 && (
        <ul className="rounded-card border border-border">
          {data.runtimes.map((runtime) => (
            <RuntimeRow key={runtime.id} runtime={runtime} releasedAt={data.createdAt} />
          ))}
        </ul>
      )}
    </div>
  )
}

function describeAdoption(adoption: Adoption): string {
  const { status, environment, version, successor, total } = adoption
  switch (status) {
    case 'live':
      return `v${version} is live in ${environment}${total === 0 ? '' : `. ${adoptionSentence(adoption)}.`}`
    case 'publishing':
      return `v${version} in ${environment}. ${adoptionSentence(adoption)}.`
    case 'partial':
      return [adoptionSentence(adoption), rejectionText(adoption)].join(' · ')
    case 'waiting':
      return `v${version} is released to ${environment}. The next runtime that hosts this prompt gets it when it connects.`
    case 'superseded':
      return `v${successor?.version} replaced it in ${environment}`
    case 'rolled_back':
      return `${successor?.author ?? 'A former member'} rolled ${environment} back to v${successor?.version}`
    default:
      return status satisfies never
  }
}

export const RUNTIME_LOOK = {
  applied: ['live', 'Applied'],
  pending: ['applying', 'Not applied yet'],
  rejected: ['partial', 'Rejected'],
  stale: ['stale', 'Silent, not counted'],
} as const satisfies Record<RuntimeAdoption['state'], readonly [Status, string]>

function RuntimeRow({
  runtime,
  releasedAt,
}: {
  readonly runtime: RuntimeAdoption
  readonly releasedAt: number
}) {
  const { name, state, reason, appliedAt } = runtime
  const [status, word] = RUNTIME_LOOK[state]
  const after = appliedAt === null || appliedAt < releasedAt ? null : appliedAt - releasedAt
  return (
    <li className="flex min-h-7 flex-wrap items-center gap-x-3 border-border border-b px-3 py-1 last:border-b-0">
      <span className="min-w-0 flex-1 truncate font-mono text-mono">{name}</span>
      <StatusText status={status}>{word}</StatusText>
      {after !== null && (
        <span className="text-small text-text-3">after {durationText(after)}</span>
      )}
      {reason !== null && <span className="w-full text-small text-warning-fg">{reason}</span>}
    </li>
  )
}
