'use client'
// Is every connected process running what I think it is? Deployments of equal processes are one row until somebody opens them; what
// needs a look stands first.
import { useQuery } from '@tanstack/react-query'
import { parseAsArrayOf, parseAsString, useQueryState } from 'nuqs'
import { useEnvironment } from '../shell/environment-switcher.tsx'
import { useTRPC } from '../trpc-provider.tsx'
import { Card } from '../ui/card.tsx'
import { countText } from '../ui/count-text.ts'
import { PageHeader } from '../ui/page-header.tsx'
import { ErrorState, SkeletonRows } from '../ui/states.tsx'
import { NoRuntimes } from './no-runtimes.tsx'
import { RuntimeRows } from './runtime-rows.tsx'
import { thresholdText } from './runtime-words.ts'

const LIVE_MS = 5000

/** Read again every five seconds: a fleet sends more hints than a page can show. */
export function Runtimes() {
  const trpc = useTRPC()
  const environment = useEnvironment()
  const [toggled, setToggled] = useQueryState('open', parseAsArrayOf(parseAsString).withDefault([]))
  const options = trpc.runtimes.groups.queryOptions(
    environment === undefined ? {} : { environment },
  )
  const query = useQuery({ ...options, refetchInterval: LIVE_MS })
  const groups = query.data?.groups ?? []
  const sum = (count: (group: (typeof groups)[number]) => number): number =>
    groups.reduce((total, group) => total + count(group), 0)
  const connected = sum((group) => group.connected)
  const facts = `${countText(connected)} connected · ${countText(connected - sum((group) => group.inSync))} not in sync · ${countText(sum((group) => group.total))} seen in 7 days`
  return (
    <>
      <PageHeader
        title="Runtimes"
        facts={
          query.data && (
            <span title={thresholdText(query.data.thresholds)}>
              {groups.length === 0 ? 'none seen in 7 days' : facts}
            </span>
          )
        }
      />
      <div className="p-4">
        <Card>
          {query.isError && (
            <ErrorState
              what="The runtimes could not be loaded."
              why={query.error}
              onRetry={() => void query.refetch()}
            />
          )}
          {query.isPending && <SkeletonRows />}
          {query.data && groups.length === 0 && <NoRuntimes environment={environment} />}
          {query.data && groups.length > 0 && (
            <RuntimeRows
              groups={groups}
              alone={query.data.alone}
              thresholds={query.data.thresholds}
              toggled={toggled}
              onToggle={(next) => void setToggled(next.length === 0 ? null : next)}
            />
          )}
        </Card>
      </div>
    </>
  )
}
