'use client'
// Times are absolute, and entries cannot be edited.
import { useInfiniteQuery } from '@tanstack/react-query'
import { type RefObject, useRef } from 'react'
import { KEPT_LIST } from '@/components/kit/list/kept-pages.ts'
import { ListBody, type PeekPartProps } from '@/components/kit/list/list-body.tsx'
import { ListPage } from '@/components/kit/list/list-page.tsx'
import { NothingListed } from '@/components/kit/list/nothing-listed.tsx'
import { useLiveList } from '@/components/kit/list/use-live-list.ts'
import { usePeekedRow } from '@/components/kit/list/use-row-place.ts'
import { SavedViews } from '@/components/saved-views/saved-views.tsx'
import { Refusal } from '@/components/shell/refusal.tsx'
import { SettingsFrame } from '@/components/shell/settings-frame.tsx'
import { useRight } from '@/components/shell/use-right.ts'
import { useTRPC, useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import { Card } from '@/components/ui/card.tsx'
import type { ListedAuditEntry } from '@/server/audit-log/audit-log.sql.ts'
import { AUDIT_FACE } from './audit-face.tsx'
import { AuditFilterFields } from './audit-filter-fields.tsx'
import { AuditPeek } from './audit-peek.tsx'
import { ChainFacts, ChainLine } from './chain-state.tsx'
import { type AuditFilterState, useAuditFilter } from './use-audit-filter.ts'

const readStart = ({ at }: ListedAuditEntry): number => at

export function AuditLog({
  openedAt,
}: {
  /** Epoch ms by the server's clock. */
  readonly openedAt: number
}) {
  const state = useAuditFilter(openedAt)
  const search = useRef<HTMLInputElement>(null)
  const { reason } = useRight('admin')
  if (reason !== null) return <AuditRefusal reason={reason} />
  return (
    <SettingsFrame facts={<ChainFacts />}>
      <ListPage
        isInCard
        face={AUDIT_FACE}
        title="Audit log"
        facts="every change in the project, newest first"
        views={<SavedViews list="settings/audit" />}
        exportPath="/api/export/audit"
        state={state}
        filters={
          <>
            <ChainLine />
            <AuditFilterFields state={state} search={search} />
          </>
        }
      >
        <Entries state={state} search={search} />
      </ListPage>
    </SettingsFrame>
  )
}

function useEntries({ filter, order }: AuditFilterState) {
  const trpc = useTRPC()
  const asked = { filter, order }
  const query = useInfiniteQuery(trpc.auditLog.list.infiniteQueryOptions(asked, KEPT_LIST))
  return { asked, query }
}

function Peeked({ row, onClose }: PeekPartProps<ListedAuditEntry>) {
  return row === undefined ? null : <AuditPeek entry={row} onClose={onClose} />
}

function Entries({
  state,
  search,
}: {
  readonly state: AuditFilterState
  readonly search: RefObject<HTMLInputElement | null>
}) {
  const client = useTRPCClient()
  const { asked, query } = useEntries(state)
  const list = useLiveList<ListedAuditEntry>({
    query,
    asked,
    isNewestFirst: state.order === 'newest',
    beganAt: readStart,
    readPage: (signal) => client.auditLog.list.query(asked, { signal }),
  })
  return (
    <ListBody
      face={AUDIT_FACE}
      list={list}
      place={usePeekedRow()}
      order={state.order}
      onOrder={state.onOrder}
      search={search}
      Peek={Peeked}
      empty={
        <NothingListed
          state={state}
          filtered="No entry matches the filter."
          never={() => 'No changes yet.'}
        />
      }
    />
  )
}

export function AuditRefusal({ reason }: { readonly reason: string }) {
  return (
    <SettingsFrame>
      <Card>
        <Refusal>{reason}</Refusal>
      </Card>
    </SettingsFrame>
  )
}
