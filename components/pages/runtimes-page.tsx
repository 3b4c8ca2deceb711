'use client'
// Runtimes that need attention come first.
import { countText } from '@signalbox/core/analysis'
import { Plus } from 'lucide-react'
import { parseAsStringLiteral, useQueryState } from 'nuqs'
import { type RefObject, useRef } from 'react'
import { ChoiceSelect } from '@/components/kit/list/choice-select.tsx'
import { ListBody, type PeekPartProps } from '@/components/kit/list/list-body.tsx'
import { ListFilters } from '@/components/kit/list/list-filters.tsx'
import { ListPage } from '@/components/kit/list/list-page.tsx'
import { NothingListed } from '@/components/kit/list/nothing-listed.tsx'
import { toChoices } from '@/components/kit/list/to-choices.ts'
import { type ListState, useListState } from '@/components/kit/list/use-list-state.ts'
import { usePeekedRow } from '@/components/kit/list/use-row-place.ts'
import { CONNECT_AGENT_NAMES } from '@/components/runtimes/connect-agents.ts'
import { ConnectDrawer } from '@/components/runtimes/lazy-connect-drawer.ts'
import { useKeyOfPage } from '@/components/runtimes/made-key.ts'
import { RUNTIME_FACE } from '@/components/runtimes/runtime-face.tsx'
import { RuntimePeek } from '@/components/runtimes/runtime-peek.tsx'
import { STATE_WORDS, thresholdText } from '@/components/runtimes/runtime-words.ts'
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
  if (groups.length === 0) return 'No runtime reported in 7 days; the demo is not counted'
  const sum = (count: (group: RuntimeGroup) => number): number =>
    groups.reduce((total, group) => total + count(group), 0)
  const connected = sum((group) => group.connected)
  const behind = sum((group) => group.behind)
  const silent = sum((group) => group.silent)
  const disconnected = sum((group) => group.total) - connected - silent
  return `Processes that enforce your rules: ${countText(connected)} connected, ${countText(behind)} behind, ${countText(silent)} silent, ${countText(disconnected)} disconnected`
}

export function RuntimesPage({
  openedAt,
}: {
  /** Epoch ms by the server's clock. */
  readonly openedAt: number
}) {
  const state = useListState(RUNTIMES, openedAt)
  const { environment } = state.filter
  // The sentence of the header is about the fleet, whatever the filter.
  const { data } = useRuntimeGroups(environment === undefined ? {} : { environment })
  const list = useRuntimeList(state)
  const search = useRef<HTMLInputElement>(null)
  const [agent, setAgent] = useQueryState('connect', parseAsStringLiteral(CONNECT_AGENT_NAMES))
  const connect = () => void setAgent('claude-code')
  useKeyOfPage()
  const place = usePeekedRow(isRuntimeId)
  return (
    <>
      <ListPage
        face={RUNTIME_FACE}
        title="Runtimes"
        facts={
          data && <span title={thresholdText(data.thresholds)}>{describeFleet(data.groups)}</span>
        }
        actions={
          <Button onClick={connect}>
            <Plus size={14} aria-hidden /> Connect an agent
          </Button>
        }
        state={state}
        filters={<Filters state={state} search={search} />}
        above={null}
        isFilling
      >
        <ListBody
          face={RUNTIME_FACE}
          list={list}
          place={place}
          order={state.order}
          onOrder={state.onOrder}
          search={search}
          Peek={Peeked}
          empty={
            <NothingListed
              state={state}
              filtered="No runtime matches the filter."
              never={(place) => `No runtime has connected${place} in 7 days.`}
              action={<Button onClick={connect}>Connect an agent</Button>}
            >
              A runtime applies the rules beside the agent. It appears here when a connected agent
              starts.
            </NothingListed>
          }
        />
      </ListPage>
      {agent === null ? null : (
        <ConnectDrawer
          agent={agent}
          onAgent={(next) => void setAgent(next)}
          onClose={() => void setAgent(null)}
        />
      )}
    </>
  )
}

const STATES = toChoices(RUNTIMES.params.state.values, STATE_WORDS)

function Filters({
  state,
  search,
}: {
  readonly state: ListState<typeof RUNTIMES>
  readonly search: RefObject<HTMLInputElement | null>
}) {
  const { values, set } = state
  return (
    <ListFilters
      search={search}
      label="Search runtimes"
      placeholder="Runtime or config"
      state={state}
      words={['group']}
    >
      <ChoiceSelect
        label="State"
        all="Any state"
        choices={STATES}
        value={values.state}
        onChange={(next) => void set({ state: next })}
      />
    </ListFilters>
  )
}

function Peeked({ row, onClose }: PeekPartProps<RuntimeRow>) {
  return row === undefined ? null : <RuntimePeek runtime={row} onClose={onClose} />
}
