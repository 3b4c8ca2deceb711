'use client'
import { countText } from '@signalbox/core/analysis'
// Every connected process and its version. Deployments of equal processes are one row until the user opens them; those that need attention
// come first.
import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { parseAsArrayOf, parseAsBoolean, parseAsString, useQueryState } from 'nuqs'
import { useState } from 'react'
import { useEnvironment } from '@/components/shell/environment-switcher.tsx'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Card } from '@/components/ui/card.tsx'
import { PageHeader } from '@/components/ui/page-header.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { ConnectCard } from './connect-card.tsx'
import { keepMadeKey, useMadeKey } from './made-key.ts'
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
  const connecting = useConnecting(query.data?.groups.length === 0)
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
        actions={
          connecting.isOpen ? null : (
            <Button onClick={connecting.open}>
              <Plus size={14} aria-hidden /> Connect a runtime
            </Button>
          )
        }
      />
      <div className="flex flex-col gap-3 p-4">
        {connecting.isOpen && <ConnectCard onClose={connecting.close} />}
        <Card>
          {query.isError && (
            <ErrorState
              what="The runtimes could not be loaded."
              why={query.error}
              onRetry={() => void query.refetch()}
            />
          )}
          {query.isPending && <SkeletonRows />}
          {query.data && groups.length === 0 && (
            <EmptyState
              title={`No runtime has connected${environment === undefined ? '' : ` in ${environment}`} in 7 days.`}
            />
          )}
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

/** Open when the address asks for it, while a key that was made is on screen, and on a page that was empty when it was opened. */
function useConnecting(isEmpty: boolean) {
  const [isAsked, setAsked] = useQueryState('connect', parseAsBoolean)
  const [wasEmpty, setWasEmpty] = useState(isEmpty)
  if (isEmpty && !wasEmpty) setWasEmpty(true)
  const key = useMadeKey()
  return {
    isOpen: isAsked ?? (wasEmpty || key !== null),
    open: () => void setAsked(true),
    close: () => {
      keepMadeKey(null)
      void setAsked(false)
    },
  }
}
