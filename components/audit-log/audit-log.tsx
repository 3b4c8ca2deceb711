'use client'
// The audit log: who changed what, newest first. A record: times are absolute, nothing here can be edited.
import { useInfiniteQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { KEPT_PAGES } from '@/components/kit/list/kept-pages.ts'
import { SavedViews } from '@/components/saved-views/saved-views.tsx'
import { SettingsFrame } from '@/components/shell/settings-frame.tsx'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button, FileLink } from '@/components/ui/button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { AuditFilterFields } from './audit-filter-fields.tsx'
import { AuditRows } from './audit-rows.tsx'
import { ChainLine } from './chain-state.tsx'
import { exportHref, useAuditFilter } from './use-audit-filter.ts'

export function AuditLog() {
  const trpc = useTRPC()
  const filtering = useAuditFilter()
  const { filter, isFiltered, clear } = filtering
  const query = useInfiniteQuery(
    trpc.auditLog.list.infiniteQueryOptions(
      { filter },
      { getNextPageParam: ({ next }) => next, initialCursor: null, ...KEPT_PAGES },
    ),
  )
  const entries = query.data?.pages.flatMap((page) => page.entries)
  if (query.error?.data?.code === 'FORBIDDEN') return <Forbidden />
  return (
    <SettingsFrame>
      <Card>
        <CardHeader
          title="Audit log"
          aside="every change in the project, newest first"
          actions={
            <span className="flex shrink-0 flex-wrap gap-1">
              <SavedViews list="settings/audit" />
              <ExportLink href={exportHref(filter, 'csv')} name="CSV" />
              <ExportLink href={exportHref(filter, 'jsonl')} name="JSONL" />
            </span>
          }
        />
        <ChainLine />
        <AuditFilterFields filtering={filtering} />
        {query.isPending && <SkeletonRows />}
        {query.isError && (
          <ErrorState
            what="The audit log could not be loaded."
            why={query.error}
            onRetry={() => void query.refetch()}
          />
        )}
        {entries?.length === 0 &&
          (isFiltered ? (
            <EmptyState
              title="No entry matches the filter."
              action={<Button onClick={clear}>Clear filter</Button>}
            />
          ) : (
            <EmptyState title="No changes yet." />
          ))}
        {entries !== undefined && entries.length > 0 && (
          <AuditRows
            // Another filter is another list, which begins at its top.
            key={JSON.stringify(filter)}
            entries={entries}
            hasMore={query.hasNextPage}
            onEnd={() => {
              if (query.hasNextPage && !query.isFetchingNextPage) void query.fetchNextPage()
            }}
          />
        )}
      </Card>
    </SettingsFrame>
  )
}

export function Forbidden() {
  return (
    <SettingsFrame>
      <Card>
        <EmptyState title="Only an admin can read the audit log.">
          It needs the permission <code>member.manage</code>. An admin can change your role under
          Users.
        </EmptyState>
      </Card>
    </SettingsFrame>
  )
}

/** The browser saves the file, page by page as it comes. */
function ExportLink({ href, name }: { readonly href: string; readonly name: string }) {
  return (
    <FileLink
      href={href}
      title={`Export all matching entries as ${name}`}
      aria-label={`Export as ${name}`}
    >
      <Download size={14} aria-hidden />
      {name}
    </FileLink>
  )
}
