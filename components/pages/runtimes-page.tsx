'use client'
// Runtimes that need attention come first.
import { countText } from '@signalbox/core/analysis'
import { Plus } from 'lucide-react'
import { parseAsBoolean, useQueryState } from 'nuqs'
import { useState } from 'react'
import { ListBody, type PeekPartProps } from '@/components/kit/list/list-body.tsx'
import { ListPage } from '@/components/kit/list/list-page.tsx'
import { NothingListed } from '@/components/kit/list/nothing-listed.tsx'
import { useListState } from '@/components/kit/list/use-list-state.ts'
import { usePeekedRow } from '@/components/kit/list/use-row-place.ts'
import { ConnectCard } from '@/components/runtimes/connect-card.tsx'
import { keepMadeKey, useMadeKey } from '@/components/runtimes/made-key.ts'
import { RUNTIME_FACE } from '@/components/runtimes/runtime-face.tsx'
import { RuntimePeek } from '@/components/runtimes/runtime-peek.tsx'
import { thresholdText } from '@/components/runtimes/runtime-words.ts'
import {
  type RuntimeRow,
  useRuntimeGroups,
  useRuntimeList,
} from '@/components/runtimes/use-runtime-list.ts'
import { Button } from '@/components/ui/button.tsx'
import type { RuntimeGroup } from '@/server/runtimes/runtime-pages.sql.ts'
import { RUNTIMES } from '@/server/runtimes/runtimes.list.ts'

const isRuntimeId = (id: string): boolean => id.startsWith('rt_')

function describeFleet(groups: readonly RuntimeGroup[]): string {
  if (groups.length === 0) return 'No process that enforces rules was seen in 7 days'
  const sum = (count: (group: RuntimeGroup) => number): number =>
    groups.reduce((total, group) => total + count(group), 0)
  const connected = sum((group) => group.connected)
  const behind = connected - sum((group) => group.inSync)
  const silent = sum((group) => group.silent)
  return `Processes that enforce your rules: ${countText(connected)} connected, ${countText(behind)} behind, ${countText(silent)} silent`
}

export function RuntimesPage({
  openedAt,
}: {
  /** Epoch ms by the server's clock. */
  readonly openedAt: number
}) {
  const state = useListState(RUNTIMES, openedAt)
  const query = useRuntimeGroups(state.filter.environment)
  const { data } = query
  const list = useRuntimeList(query)
  const connecting = useConnecting(data?.groups.length === 0)
  const place = usePeekedRow(isRuntimeId)
  return (
    <ListPage
      face={RUNTIME_FACE}
      title="Runtimes"
      facts={
        data && <span title={thresholdText(data.thresholds)}>{describeFleet(data.groups)}</span>
      }
      actions={
        connecting.isOpen ? null : (
          <Button onClick={connecting.open}>
            <Plus size={14} aria-hidden /> Connect an agent
          </Button>
        )
      }
      state={state}
      above={connecting.isOpen ? <ConnectCard onClose={connecting.close} /> : null}
    >
      <ListBody
        face={RUNTIME_FACE}
        list={list}
        place={place}
        order={state.order}
        onOrder={state.onOrder}
        Peek={Peeked}
        empty={
          <NothingListed
            state={state}
            never={(place) => `No runtime has connected${place} in 7 days.`}
          />
        }
      />
    </ListPage>
  )
}

function Peeked({ row, onClose }: PeekPartProps<RuntimeRow>) {
  return row === undefined ? null : <RuntimePeek runtime={row} onClose={onClose} />
}

/** Open if the address requests it, while a new key is on screen, and on a page that was empty when it opened. */
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
