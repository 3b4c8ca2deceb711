'use client'

import { useQuery } from '@tanstack/react-query'
import { JsonDifference } from '@/components/kit/diff/json-difference.tsx'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Skeleton } from '@/components/ui/states.tsx'
import type { ConfigDetail } from '@/server/configs/configs.ts'
import { LazyTextChanges } from './lazy-text-changes.tsx'

export function useVersionText({ ns, key }: ConfigDetail, number: number | null) {
  const trpc = useTRPC()
  return useQuery({
    ...trpc.configs.version.queryOptions({ ns, key, number: number ?? 1 }),
    enabled: number !== null,
    // A version never changes.
    staleTime: Number.POSITIVE_INFINITY,
  })
}

export function VersionChanges({
  config,
  from,
  to,
  heading,
  startsOpen = false,
}: {
  readonly config: ConfigDetail
  readonly from: number | null
  readonly to: number
  /** Absent: the heading of the card names the comparison. */
  readonly heading?: string
  readonly startsOpen?: boolean
}) {
  const before = useVersionText(config, from)
  const after = useVersionText(config, to)
  const [oldText, newText] = [from === null ? null : before.data?.text, after.data?.text]
  if (oldText === undefined || newText === undefined) return <Skeleton className="w-3/5" />
  const labels = [from === null ? 'nothing' : `v${from}`, `v${to}`] as const
  return (
    <div className="flex flex-col gap-2">
      <LazyTextChanges from={oldText} to={newText} heading={heading} />
      <JsonDifference
        before={oldText ?? ''}
        after={newText}
        labels={labels}
        startsOpen={startsOpen}
      />
    </div>
  )
}
