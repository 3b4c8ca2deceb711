'use client'
import { plural } from '@signalbox/core/analysis'
// Configs list: live versions of each prompt by environment, and pending changes.
import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { type ReactNode, useCallback, useRef, useState } from 'react'
import { ArchiveDialog, useSetArchived } from '@/components/configs/archive-dialog.tsx'
import type { RowActions } from '@/components/configs/config-actions.tsx'
import { STANDS } from '@/components/configs/config-filter.ts'
import { ConfigRows } from '@/components/configs/config-rows.tsx'
import { NewConfigDialog } from '@/components/configs/lazy-new-config-dialog.ts'
import type { NewConfig } from '@/components/configs/new-config-dialog.tsx'
import { TransferButtons } from '@/components/configs/transfer-buttons.tsx'
import { UnmanagedPrompts, useUnmanaged } from '@/components/configs/unmanaged-prompts.tsx'
import { type FilterState, useConfigFilter } from '@/components/configs/use-config-filter.ts'
import { useConfigList } from '@/components/configs/use-config-list.ts'
import { ChoiceChips } from '@/components/kit/list/choice-chips.tsx'
import { FilterBox } from '@/components/kit/list/filter-box.tsx'
import { SavedViews } from '@/components/saved-views/saved-views.tsx'
import { usePageActions } from '@/components/shell/page-actions.ts'
import { usePageKeys } from '@/components/shell/page-keys.ts'
import { useConfigRights } from '@/components/shell/use-config-rights.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Card } from '@/components/ui/card.tsx'
import { Checkbox } from '@/components/ui/checkbox.tsx'
import { PageHeader } from '@/components/ui/page-header.tsx'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { toast } from '@/components/ui/toast.tsx'
import type { ListedConfig } from '@/server/configs/configs.ts'

export function ConfigListPage() {
  const state = useConfigFilter()
  const list = useConfigList(state.filter)
  const unmanaged = useUnmanaged()
  const { edit } = useConfigRights()
  const [wanted, setWanted] = useState<NewConfig | null>(null)
  const [leaving, setLeaving] = useState<ListedConfig | null>(null)
  const restore = useSetArchived()
  const actions: RowActions = {
    onDuplicate: ({ ns, key }) => setWanted({ prompt: '', copiedFrom: `${ns}/${key}` }),
    onArchive: (config) => {
      if (config.archivedAt === null) return setLeaving(config)
      const { ns, key } = config
      restore.mutate(
        { ns, key, archived: false },
        { onError: ({ message }) => toast.error(message) },
      )
    },
  }
  usePageActions([
    {
      name: 'New config…',
      run: () => setWanted({ prompt: '' }),
      refusal: edit.reason ?? undefined,
    },
  ])
  const add = (
    <ReasonedButton variant="primary" {...edit} onClick={() => setWanted({ prompt: '' })}>
      <Plus size={14} aria-hidden /> New config
    </ReasonedButton>
  )
  const first = unmanaged.data?.prompts.find(({ isArchived }) => !isArchived)?.prompt ?? ''
  const take = (
    <ReasonedButton {...edit} onClick={() => setWanted({ prompt: first, isRunning: true })}>
      Import from a running prompt
    </ReasonedButton>
  )
  return (
    <>
      <PageHeader
        title="Configs"
        facts="Live versions, drafts and runtimes of every prompt"
        actions={
          <>
            <SavedViews list="configs" />
            <TransferButtons />
            {add}
          </>
        }
      />
      <FilterBar state={state} total={list.total} />
      <div className="flex flex-col gap-3 p-4 max-sm:p-2">
        <Card className="overflow-hidden">
          <Listed
            state={state}
            list={list}
            actions={actions}
            add={add}
            take={hasPrompts(unmanaged) ? take : null}
          />
        </Card>
        {!state.filter.archived && (
          <UnmanagedPrompts
            unmanaged={unmanaged}
            edit={edit}
            onCreate={(prompt) => setWanted({ prompt, isRunning: true })}
          />
        )}
      </div>
      {wanted !== null && <NewConfigDialog wanted={wanted} onClose={() => setWanted(null)} />}
      {leaving !== null && <ArchiveDialog config={leaving} onClose={() => setLeaving(null)} />}
    </>
  )
}

function hasPrompts({ data }: ReturnType<typeof useUnmanaged>): boolean {
  return data !== undefined && data.prompts.length > 0
}

function FilterBar({
  state,
  total,
}: {
  readonly state: FilterState
  readonly total: number | null
}) {
  const input = useRef<HTMLInputElement>(null)
  usePageKeys('configs', [
    { keys: '/', shown: '/', does: 'search', run: () => input.current?.select() },
  ])
  return (
    <search
      data-filters
      className="flex flex-wrap items-center gap-x-3 gap-y-1.5 border-border border-b bg-surface-2 px-4 py-1.5"
    >
      <FilterBox
        input={input}
        label="Search configs"
        placeholder="ns or key"
        text={state.text}
        onText={state.setText}
      />
      <ChoiceChips
        label="Show only"
        choices={STANDS}
        value={state.filter.stands}
        onChange={state.setStands}
      />
      <Checkbox
        checked={state.filter.archived}
        onChange={({ target }) => state.setArchived(target.checked)}
      >
        Archived
      </Checkbox>
      <p aria-live="polite" className="ml-auto text-small text-text-2">
        {total === null ? '' : plural(total, 'config')}
      </p>
    </search>
  )
}

interface ListedProps {
  readonly state: FilterState
  readonly list: ReturnType<typeof useConfigList>
  readonly actions: RowActions
  readonly add: ReactNode
  /** Leads to a config for a prompt that runs without one; null: none is reported. */
  readonly take: ReactNode | null
}

function Listed({ state, list, actions, add, take }: ListedProps) {
  const trpc = useTRPC()
  const environments = useQuery(trpc.runtimes.environments.queryOptions())
  const { configs, error, retry, loadMore } = list
  const onNearEnd = useCallback(() => loadMore(), [loadMore])
  if (configs === undefined) {
    if (error === null) return <SkeletonRows />
    return <ErrorState what="Could not read the configs." why={error} onRetry={retry} />
  }
  return (
    <>
      {error !== null && (
        <p role="alert" className="border-border border-b px-3 py-1.5 text-text-2">
          The list is as it was: {error.message}
        </p>
      )}
      {configs.length === 0 ? (
        <Nothing state={state} add={add} take={take} />
      ) : (
        <ConfigRows
          configs={configs}
          total={list.total}
          environments={environments.data ?? []}
          chosen={state.row}
          isPeeking={state.isPeeking}
          onPeek={state.setPeeking}
          onChoose={state.setRow}
          onNearEnd={onNearEnd}
          actions={actions}
        />
      )}
    </>
  )
}

function Nothing({ state, add, take }: Pick<ListedProps, 'state' | 'add' | 'take'>) {
  const { filter, text, isNarrowed, clear, setArchived } = state
  if (isNarrowed) {
    const stand = STANDS.find(({ value }) => value === filter.stands)?.label
    const on = [text === '' ? '' : `“${text}”`, stand ?? ''].filter(Boolean).join(' and ')
    return (
      <EmptyState
        title={`No ${filter.archived ? 'archived ' : ''}config matches ${on}.`}
        action={<Button onClick={clear}>Clear filter</Button>}
      />
    )
  }
  if (filter.archived) {
    return (
      <EmptyState
        title="No config is archived."
        action={<Button onClick={() => setArchived(false)}>Show active configs</Button>}
      />
    )
  }
  return (
    <EmptyState title="No configs yet." action={take ?? add}>
      A config holds the guardrails of one prompt: what its tools may do, what feedback it gets, and
      when it may stop. Start from a template
      {take === null
        ? '. Prompts of connected runtimes appear below automatically.'
        : ', or from a running prompt.'}
    </EmptyState>
  )
}
