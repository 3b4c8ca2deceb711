'use client'
import { useQuery } from '@tanstack/react-query'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { configPath } from '@/components/paths/config-path.ts'
import { useConfigRights } from '@/components/shell/use-config-rights.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { Link } from '@/components/ui/link.tsx'
import { ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import { Cases } from './cases.tsx'

export function PinnedCasesCard({ ns, name }: { readonly ns: string; readonly name: string }) {
  const trpc = useTRPC()
  const { isAllowed: mayEdit, reason: why } = useConfigRights().edit
  const query = useQuery(trpc.backtests.of.queryOptions({ ns, key: name }))
  useReadOnChange({ kind: 'backtest' }, query)
  const run = query.data?.runs[0]
  const hasCases = (query.data?.cases.length ?? 0) > 0
  const result = useQuery({
    ...trpc.backtests.get.queryOptions({ id: run?.id ?? '-' }),
    enabled: run !== undefined && hasCases,
  })
  const { data, error } = query
  return (
    <Card>
      <CardHeader
        title="Pinned cases"
        aside={data === undefined ? undefined : `${data.cases.length}`}
        actions={
          hasCases &&
          (run === undefined ? (
            <Link
              href={`${configPath(ns, name)}/edit?tab=backtest`}
              className="text-link hover:underline"
            >
              Run a backtest
            </Link>
          ) : (
            <Link href={`/backtests/${run.id}`} className="text-link hover:underline">
              Backtest of <Timestamp at={run.createdAt} style="second" />
            </Link>
          ))
        }
      />
      {data === undefined && error === null && <SkeletonRows />}
      {data === undefined && error !== null && (
        <ErrorState
          what="The pinned cases could not be read."
          why={error}
          onRetry={() => void query.refetch()}
        />
      )}
      {data !== undefined && (
        <Cases
          cases={data.cases}
          results={result.data?.caseResults ?? []}
          access={{ mayEdit, why }}
        />
      )}
    </Card>
  )
}
