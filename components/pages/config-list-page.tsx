'use client'

import { plural } from '@signalbox/core/analysis'
import { DEMO_NAMESPACE } from '@signalbox/wire'
import { Plus } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { type ReactNode, type RefObject, useRef, useState } from 'react'
import { ArchiveDialog, useSetArchived } from '@/components/configs/archive-dialog.tsx'
import type { RowActions } from '@/components/configs/config-actions.tsx'
import { useConfigFace } from '@/components/configs/config-face.tsx'
import { ConfigPeek } from '@/components/configs/config-peek.tsx'
import { newConfigPath } from '@/components/configs/new-config-sources.ts'
import { TransferButtons } from '@/components/configs/transfer-buttons.tsx'
import { UnmanagedPrompts, useUnmanaged } from '@/components/configs/unmanaged-prompts.tsx'
import { useConfigList, useEnvironments } from '@/components/configs/use-config-list.ts'
import { ChoiceChips } from '@/components/kit/list/choice-chips.tsx'
import { ListBody, type PeekPartProps } from '@/components/kit/list/list-body.tsx'
import { ListFilters } from '@/components/kit/list/list-filters.tsx'
import { ListPage } from '@/components/kit/list/list-page.tsx'
import { NothingListed } from '@/components/kit/list/nothing-listed.tsx'
import { toChoices } from '@/components/kit/list/to-choices.ts'
import { type ListState, useListState } from '@/components/kit/list/use-list-state.ts'
import { useChosenRow } from '@/components/kit/list/use-row-place.ts'
import { SavedViews } from '@/components/saved-views/saved-views.tsx'
import { usePageActions } from '@/components/shell/page-actions.ts'
import { usePageKeys } from '@/components/shell/page-keys.ts'
import { useConfigRights } from '@/components/shell/use-config-rights.ts'
import { Button } from '@/components/ui/button.tsx'
import { Checkbox } from '@/components/ui/checkbox.tsx'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import { toast } from '@/components/ui/toast.tsx'
import { CONFIGS } from '@/server/configs/configs.list.ts'
import type { ListedConfig } from '@/server/configs/configs.ts'

type State = ListState<typeof CONFIGS>

export function ConfigListPage({
  openedAt,
}: {
  /** Epoch ms by the server's clock. */
  readonly openedAt: number
}) {
  const unmanaged = useUnmanaged()
  const { edit } = useConfigRights()
  const router = useRouter()
  const begin = (more: Parameters<typeof newConfigPath>[0] = {}) => router.push(newConfigPath(more))
  const [leaving, setLeaving] = useState<ListedConfig | null>(null)
  const restore = useSetArchived()
  const actions: RowActions = {
    onDuplicate: ({ ns, key }) => begin({ from: 'copy', source: `${ns}/${key}` }),
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
      run: () => begin(),
      refusal: edit.reason ?? undefined,
    },
  ])
  usePageKeys('configs', [
    { keys: 'n', shown: 'n', does: 'new config', run: () => edit.isAllowed && begin() },
  ])
  const add = (
    <ReasonedButton variant="primary" {...edit} onClick={() => begin()}>
      <Plus size={14} aria-hidden /> New config
    </ReasonedButton>
  )
  const first = unmanaged.data?.prompts.find(({ isArchived }) => !isArchived)?.prompt ?? ''
  const take = (
    <ReasonedButton {...edit} onClick={() => begin({ from: 'running', prompt: first })}>
      Import from a running prompt
    </ReasonedButton>
  )
  const state = useListState(CONFIGS, openedAt)
  const { filter, order } = state
  const search = useRef<HTMLInputElement>(null)
  const list = useConfigList(filter, order)
  const face = useConfigFace(actions)
  return (
    <>
      <ListPage
        face={face}
        title="Configs"
        facts={
          <p aria-live="polite">
            {list.total == null
              ? '\u00a0'
              : describeConfigs(
                  { total: list.total, rows: list.rows ?? [] },
                  state.isFiltered ? null : unmanaged.data?.prompts.length,
                )}
          </p>
        }
        views={<SavedViews list="configs" />}
        actions={
          <>
            <TransferButtons />
            {add}
          </>
        }
        state={state}
        filters={<Filters state={state} search={search} />}
        above={null}
        isFilling
        below={
          filter.archived === true ? null : (
            <UnmanagedPrompts
              unmanaged={unmanaged}
              edit={edit}
              onCreate={(prompt) => begin({ from: 'running', prompt })}
            />
          )
        }
      >
        <ListBody
          face={face}
          list={list}
          place={useChosenRow()}
          order={order}
          onOrder={state.onOrder}
          search={search}
          Peek={Peeked}
          empty={<Nothing state={state} add={add} take={hasPrompts(unmanaged) ? take : null} />}
        />
      </ListPage>
      {leaving !== null && <ArchiveDialog config={leaving} onClose={() => setLeaving(null)} />}
    </>
  )
}

/** `without`: reported prompts that have no config; null: the list is filtered, undefined: not loaded. */
function describeConfigs(
  { total, rows }: { readonly total: number; readonly rows: readonly ListedConfig[] },
  without: number | null | undefined,
): string {
  // Known once every row is loaded; before that, demos stand among the others.
  const demos = rows.length < total ? 0 : rows.filter(({ ns }) => ns === DEMO_NAMESPACE).length
  const parts = [
    ...(demos > 0 && demos === total ? [] : [plural(total - demos, 'config')]),
    ...(demos === 0 ? [] : [plural(demos, 'demo')]),
  ]
  const configs = parts.join(' and ')
  if (without === null) return `${configs} ${total === 1 ? 'matches' : 'match'} the filter.`
  if (without === undefined) return `${configs}.`
  return without === 0
    ? `${configs}; every running prompt has a config.`
    : `${configs}; ${plural(without, 'running prompt')} ${without === 1 ? 'has' : 'have'} no config.`
}

function Peeked({ row, onClose }: PeekPartProps<ListedConfig>) {
  const chain = useEnvironments().map(({ name }) => name)
  return row === undefined ? null : <ConfigPeek config={row} chain={chain} onClose={onClose} />
}

function hasPrompts({ data }: ReturnType<typeof useUnmanaged>): boolean {
  return data !== undefined && data.prompts.length > 0
}

const STANDS = toChoices(CONFIGS.params.show.values, {
  draft: 'Draft changed',
  apart: 'Environments differ',
  behind: 'Runtimes not in sync',
  unreleased: 'Not released',
})

interface FiltersProps {
  readonly state: State
  readonly search: RefObject<HTMLInputElement | null>
}

function Filters({ state, search }: FiltersProps) {
  const { values, set } = state
  return (
    <ListFilters
      search={search}
      label="Search configs"
      placeholder="Filter by namespace or key"
      state={state}
    >
      <ChoiceChips
        label="Show only"
        choices={STANDS}
        value={values.show}
        onChange={(show) => void set({ show })}
      />
      <Checkbox
        checked={values.archived === true}
        onChange={({ target }) => void set({ archived: target.checked || null })}
      >
        Archived
      </Checkbox>
    </ListFilters>
  )
}

interface NothingProps {
  readonly state: State
  readonly add: ReactNode
  /** Null: no prompt without a config is reported. */
  readonly take: ReactNode | null
}

function Nothing({ state: { values, set }, add, take }: NothingProps) {
  const { q, show, archived } = values
  const stand = STANDS.find(({ value }) => value === show)?.label
  const on = [q === null ? '' : `“${q}”`, stand ?? ''].filter(Boolean).join(' and ')
  const state = {
    filter: {},
    isFiltered: on !== '',
    clear: () => void set({ q: null, show: null }),
  }
  if (archived === true) {
    return (
      <NothingListed
        state={state}
        filtered={`No archived config matches ${on}.`}
        never={() => 'No config is archived.'}
        action={<Button onClick={() => void set({ archived: null })}>Show active configs</Button>}
      />
    )
  }
  return (
    <NothingListed
      state={state}
      filtered={`No config matches ${on}.`}
      never={() => 'No configs yet.'}
      action={take ?? add}
    >
      A config holds the guardrails of one prompt: what its tools may do, what feedback it gets, and
      when it may stop. Start from a template
      {take === null
        ? '. Prompts of connected runtimes appear below automatically.'
        : ', or from a running prompt.'}
    </NothingListed>
  )
}
