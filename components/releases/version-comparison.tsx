'use client'
// Two versions of a config beside each other: in words, and as JSON.
import { useQuery } from '@tanstack/react-query'
import type { ConfigDetail } from '@/server/services/configs.ts'
import { VersionChanges } from '../configs/move-dialog.tsx'
import { useTRPC } from '../trpc-provider.tsx'
import { Button } from '../ui/button.tsx'
import { Card, CardHeader } from '../ui/card.tsx'
import { latePart } from '../ui/late-part.tsx'
import { Skeleton } from '../ui/states.tsx'

const TextDiff = latePart(
  () => import('../editor/text-diff.tsx').then((module) => module.TextDiff),
  <Skeleton className="h-40" />,
)

function useText({ ns, key }: ConfigDetail, number: number): string | undefined {
  const trpc = useTRPC()
  const query = useQuery({
    ...trpc.configs.version.queryOptions({ ns, key, number }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return query.data?.text
}

export function VersionComparison({
  config,
  versions,
  onClose,
}: {
  readonly config: ConfigDetail
  /** The older one first. */
  readonly versions: readonly [number, number]
  readonly onClose: () => void
}) {
  const [from, to] = versions
  const before = useText(config, from)
  const after = useText(config, to)
  return (
    <Card>
      <CardHeader
        title={`v${from} → v${to}`}
        actions={<Button onClick={onClose}>End the comparison</Button>}
      />
      <div className="flex flex-col gap-4 p-3">
        <VersionChanges config={config} from={from} to={to} />
        {before !== undefined && after !== undefined && (
          <div className="max-h-[60vh] overflow-auto rounded-control border border-border">
            <TextDiff before={before} after={after} labels={[`v${from}`, `v${to}`]} />
          </div>
        )}
      </div>
    </Card>
  )
}
