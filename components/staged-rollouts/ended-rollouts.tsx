'use client'
// Ended staged rollouts, above the history of releases: only those that were released to all are releases.
import { useQuery } from '@tanstack/react-query'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { configPath } from '@/components/paths/config-path.ts'
import { useEnvironment } from '@/components/shell/environment-switcher.tsx'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { DemoTag } from '@/components/ui/demo-tag.tsx'
import { FirstRowsCard } from '@/components/ui/first-rows-card.tsx'
import { Link } from '@/components/ui/link.tsx'
import { ErrorState } from '@/components/ui/states.tsx'
import { EndedRollout } from './ended-rollout.tsx'

/** Rows shown at first, so that the history stays in view. */
const FEW = 2

export function EndedRollouts() {
  const trpc = useTRPC()
  const ended = useQuery(trpc.stagedRollouts.ended.queryOptions())
  const environment = useEnvironment()
  useReadOnChange([{ kind: 'config' }, { kind: 'release' }], ended)
  if (ended.error !== null && ended.data === undefined) {
    return (
      <ErrorState
        what="The ended staged rollouts could not be loaded."
        why={ended.error}
        onRetry={() => void ended.refetch()}
      />
    )
  }
  const rows = (ended.data ?? []).filter(
    (row) => environment === undefined || row.environment === environment,
  )
  if (rows.length === 0) return null
  return (
    <FirstRowsCard
      title="Ended staged rollouts"
      few={FEW}
      rows={rows.map((row) => (
        <EndedRollout
          key={row.id}
          rollout={row}
          config={
            <span className="inline-flex items-baseline gap-2">
              <Link
                href={`${configPath(row.ns, row.key)}/staged-rollout`}
                className="font-medium hover:underline"
              >
                {row.ns}/{row.key}
              </Link>
              <DemoTag ns={row.ns} />
            </span>
          }
        />
      ))}
    />
  )
}
