// Which sessions should I look at?
'use client'

import { useQuery } from '@tanstack/react-query'
import { ArrowUp } from 'lucide-react'
import { useTRPC } from '@/components/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { PageHeader } from '@/components/ui/page-header.tsx'
import { Select } from '@/components/ui/select.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { ChoiceChips } from './choice-chips.tsx'
import { type FilterState, useSessionFilter } from './session-filter.ts'
import { SessionsTable } from './sessions-table.tsx'
import { type LiveSessions, useSessionList } from './use-session-list.ts'

const STATUS_CHOICES = [
  { value: 'running', label: 'Live' },
  { value: 'ended', label: 'Ended' },
  { value: 'lost', label: 'Lost' },
] as const

const VERDICT_CHOICES = [
  { value: 'denied', label: 'Denied' },
  { value: 'blocked', label: 'Blocked' },
  { value: 'bypassed', label: 'Bypassed' },
  { value: 'warning', label: 'Warning' },
] as const

const ENFORCED_CHOICES = [
  { value: 'not', label: 'Not fully enforced' },
  { value: 'fully', label: 'Fully enforced' },
] as const

export function SessionsPage() {
  const state = useSessionFilter()
  // Another filter is another list: nothing of the former one is patched into it.
  return <FilteredSessions key={JSON.stringify(state.filter)} state={state} />
}

function FilteredSessions({ state }: { readonly state: FilterState }) {
  const list = useSessionList(state.filter)
  return (
    <>
      <PageHeader title="Sessions" />
      <Filters state={state} />
      {list.fresh > 0 ? (
        <div className="border-border border-b bg-surface px-4 py-1.5">
          <Button onClick={list.showFresh}>
            <ArrowUp aria-hidden size={14} />
            {list.fresh} new {list.fresh === 1 ? 'session' : 'sessions'} · show
          </Button>
        </div>
      ) : null}
      <p aria-live="polite" className="sr-only">
        {list.fresh > 0 ? `${list.fresh} new sessions` : ''}
      </p>
      <Content list={list} state={state} />
    </>
  )
}

const ALL_PROMPTS = 'all'

function Filters({ state }: { readonly state: FilterState }) {
  const trpc = useTRPC()
  const prompts = useQuery(trpc.sessions.prompts.queryOptions(undefined, { staleTime: 30_000 }))
  const names = (prompts.data ?? []).map(({ ns, key }) => `${ns}/${key}`)
  const options = names.map((name) => ({ value: name, label: name }))
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 border-border border-b bg-surface-2 px-4 py-1.5">
      <ChoiceChips
        label="Status"
        choices={STATUS_CHOICES}
        value={state.status}
        onChange={state.setStatus}
      />
      <ChoiceChips
        label="Verdict"
        choices={VERDICT_CHOICES}
        value={state.verdict}
        onChange={state.setVerdict}
      />
      <ChoiceChips
        label="Enforcement"
        choices={ENFORCED_CHOICES}
        value={state.enforced}
        onChange={state.setEnforced}
      />
      <Select
        label="Prompt"
        value={state.prompt ?? ALL_PROMPTS}
        options={[{ value: ALL_PROMPTS, label: 'all prompts' }, ...options]}
        onChange={(next) => state.setPrompt(next === ALL_PROMPTS ? null : next)}
      />
    </div>
  )
}

function Content({ list, state }: { readonly list: LiveSessions; readonly state: FilterState }) {
  const { sessions, error } = list
  if (sessions === undefined) {
    if (error === null) return <SkeletonRows />
    return <ErrorState what="The sessions could not be loaded." why={error} onRetry={list.retry} />
  }
  if (sessions.length === 0) {
    return state.isFiltered ? (
      <EmptyState
        title="No session matches the filter."
        action={<Button onClick={state.clear}>Remove the filter</Button>}
      />
    ) : (
      <EmptyState title="Sessions of your agents appear here as soon as a runtime sends events." />
    )
  }
  return (
    <div className="bg-surface">
      <SessionsTable sessions={sessions} />
      <footer className="flex items-center gap-3 px-4 py-2 text-small text-text-2">
        {sessions.length} {list.hasMore ? 'shown, there are more' : 'in all'}
        {list.hasMore ? (
          <Button disabled={list.isLoadingMore} onClick={list.loadMore}>
            Show 100 more
          </Button>
        ) : null}
      </footer>
    </div>
  )
}
