'use client'
// Runtimes in three sections. A large fleet is shown by deployment; one of a single process is shown as that process.
import { countText, plural } from '@signalbox/core/analysis'
import { useQueries, useQuery } from '@tanstack/react-query'
import { parseAsArrayOf, parseAsString, useQueryState } from 'nuqs'
import { useState } from 'react'
import type { RowAct } from '@/components/kit/list/list-face.tsx'
import type { ShownList } from '@/components/kit/list/use-live-list.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import type {
  RuntimeFacts,
  RuntimeFilter,
  RuntimeGroup,
} from '@/server/runtimes/runtime-pages.sql.ts'
import { findSection, SECTION_WORDS, SECTIONS, type Section } from './runtime-words.ts'

type Role =
  | { readonly kind: 'alone' | 'member' }
  | { readonly kind: 'deployment'; readonly group: RuntimeGroup; readonly act: RowAct }
  | {
      readonly kind: 'section'
      readonly section: Section
      /** Number of rows, with their noun if they are deployments. */
      readonly size: string
      readonly act: RowAct
    }
  | { readonly kind: 'rest'; readonly text: string; readonly act: RowAct }

export interface RuntimeRow extends RuntimeFacts {
  readonly role: Role
}

/** A runtime becomes stale without a notification, and a large fleet sends more notifications than a page can show. */
const LIVE_MS = 5000

/** Unique among the groups; part of the address. */
function formatGroupKey({ name, environment }: RuntimeGroup): string {
  return `${environment}.${name}`
}

/** Small deployments whose members differ are expanded at first. */
const OPEN_UP_TO = 30

function isOpen(group: RuntimeGroup, toggled: readonly string[]): boolean {
  const isOpenAtFirst = !group.isUniform && group.total <= OPEN_UP_TO
  return toggled.includes(formatGroupKey(group)) !== isOpenAtFirst
}

/** A filter opens every section, so its sections are toggled under names of their own. */
const formatSectionKey = (section: Section, isFiltered: boolean): string =>
  isFiltered ? `${section}.found` : section

const NO_FACTS: Omit<RuntimeFacts, 'id' | 'name'> = {
  groupName: '',
  environment: '',
  sdkVersion: '',
  harness: {},
  configs: [],
  appliedRevision: null,
  expectedRevision: 0,
  lastSeenAt: 0,
  liveSessions: 0,
  state: 'in_sync',
  rank: 0,
  rejectedReason: null,
}

function groupFacts(group: RuntimeGroup): Omit<RuntimeFacts, 'id'> {
  const { name, environment, sdkVersions, lastSeenAt, sessions, state } = group
  return {
    ...NO_FACTS,
    name,
    groupName: name,
    environment,
    sdkVersion: sdkVersions.join(', '),
    lastSeenAt,
    liveSessions: sessions,
    state,
  }
}

const FIRST: readonly (string | null)[] = [null]

export function useRuntimeGroups(filter: RuntimeFilter) {
  const trpc = useTRPC()
  return useQuery({ ...trpc.runtimes.groups.queryOptions(filter), refetchInterval: LIVE_MS })
}

export function useRuntimeList({
  filter,
  isFiltered,
}: {
  readonly filter: RuntimeFilter
  readonly isFiltered: boolean
}): ShownList<RuntimeRow> {
  const trpc = useTRPC()
  const query = useRuntimeGroups(filter)
  const [toggled, setToggled] = useQueryState('open', parseAsArrayOf(parseAsString).withDefault([]))
  const [pages, setPages] = useState<Readonly<Record<string, readonly (string | null)[]>>>({})
  const { data, error, refetch } = query
  const { groups = [], alone = [], isGrouped = false } = data ?? {}
  const opened = groups.filter((group) => isGrouped && group.total > 1 && isOpen(group, toggled))
  const asked = opened.flatMap((group) =>
    (pages[formatGroupKey(group)] ?? FIRST).map((cursor) => ({ group, cursor })),
  )
  const results = useQueries({
    queries: asked.map(({ group: { name, environment }, cursor }) => ({
      ...trpc.runtimes.page.queryOptions({
        filter: { ...filter, environment, group: name },
        cursor,
      }),
      refetchInterval: LIVE_MS,
    })),
  })
  const toggle = (key: string): void => {
    const next = toggled.includes(key) ? toggled.filter((one) => one !== key) : [...toggled, key]
    void setToggled(next.length === 0 ? null : next)
  }
  const listGroupRows = (group: RuntimeGroup): readonly RuntimeRow[] => {
    const key = formatGroupKey(group)
    const mine = results.filter((_, index) => asked[index]?.group === group)
    const members = mine
      .flatMap((page) => page.data?.rows ?? [])
      .map((runtime): RuntimeRow => ({ ...runtime, role: { kind: 'member' } }))
    // A runtime whose state changes between two pages must not appear twice.
    const unique = [...new Map(members.map((row) => [row.id, row])).values()]
    const last = mine.at(-1)
    const rest = (text: string, run: () => void): readonly RuntimeRow[] => [
      ...unique,
      { ...groupFacts(group), id: `${key}.rest`, role: { kind: 'rest', text, act: { run } } },
    ]
    if (last === undefined || last.isPending) return rest('Loading …', () => undefined)
    if (last.isError) {
      return rest('These runtimes could not be loaded. Try again', () => void last.refetch())
    }
    const { nextCursor } = last.data
    if (nextCursor === null) return unique
    return rest('Show more', () =>
      setPages((before) => ({ ...before, [key]: [...(before[key] ?? FIRST), nextCursor] })),
    )
  }
  const listRows = (group: RuntimeGroup): readonly RuntimeRow[] => {
    if (group.total === 1) {
      const only = alone.find(
        ({ groupName, environment }) =>
          groupName === group.name && environment === group.environment,
      )
      return only === undefined ? [] : [{ ...only, role: { kind: 'alone' } }]
    }
    const key = formatGroupKey(group)
    const isExpanded = opened.includes(group)
    const act: RowAct = { run: () => toggle(key), isExpanded }
    const head: RuntimeRow = {
      ...groupFacts(group),
      id: key,
      role: { kind: 'deployment', group, act },
    }
    return isExpanded ? [head, ...listGroupRows(group)] : [head]
  }
  const hasOther = (isGrouped ? groups : alone).some((one) => findSection(one) !== 'disconnected')
  const listSection = (section: Section): readonly RuntimeRow[] => {
    const single = isGrouped ? [] : alone.filter((runtime) => findSection(runtime) === section)
    const many = isGrouped ? groups.filter((group) => findSection(group) === section) : []
    if (single.length + many.length === 0) return []
    const size = isGrouped ? plural(many.length, 'deployment') : countText(single.length)
    const key = formatSectionKey(section, isFiltered)
    const isOpenAtFirst = key !== 'disconnected' || !hasOther
    const isExpanded = toggled.includes(key) !== isOpenAtFirst
    const act: RowAct = { run: () => toggle(key), isExpanded }
    const head: RuntimeRow = {
      ...NO_FACTS,
      id: `section.${section}`,
      name: SECTION_WORDS[section],
      role: { kind: 'section', section, size, act },
    }
    if (!isExpanded) return [head]
    const rows = single.map((runtime): RuntimeRow => ({ ...runtime, role: { kind: 'alone' } }))
    return [head, ...rows, ...many.flatMap(listRows)]
  }
  return {
    rows: data && SECTIONS.flatMap(listSection),
    error,
    fresh: null,
    total: undefined,
    size: plural(
      groups.reduce((sum, { total }) => sum + total, 0),
      'runtime',
    ),
    isCut: false,
    isComplete: true,
    loadMore: () => undefined,
    retry: () => void refetch(),
  }
}
