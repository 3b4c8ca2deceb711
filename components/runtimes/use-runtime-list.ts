'use client'
// The rows of the list: each deployment, beneath the opened ones their processes page by page. A deployment of one process is that
// process.
import { useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import type {
  RuntimeFacts,
  RuntimeGroup,
  RuntimePlace,
} from '@/server/runtimes/runtime-pages.sql.ts'

export type ListRow =
  | {
      readonly kind: 'group'
      readonly key: string
      readonly group: RuntimeGroup
      readonly isOpen: boolean
    }
  | {
      readonly kind: 'runtime'
      readonly key: string
      readonly runtime: RuntimeFacts
      readonly isMember: boolean
    }
  | {
      readonly kind: 'more'
      readonly key: string
      readonly state: 'loading' | 'failed' | 'more'
      readonly onMore: () => void
    }

const LIVE_MS = 5000

/** Unique among the groups; part of the URL. */
export function groupKey({ name, environment }: RuntimeGroup): string {
  return `${environment}.${name}`
}

/** Deployments whose members differ are open from the beginning while they are small. */
const OPEN_UP_TO = 30

interface Shown {
  readonly groups: readonly RuntimeGroup[]
  /** Members of groups of one. */
  readonly alone: readonly RuntimeFacts[]
  /** Keys of the groups that the user opened or closed. */
  readonly toggled: readonly string[]
}

function isOpen(group: RuntimeGroup, toggled: readonly string[]): boolean {
  const byItself = !group.isUniform && group.total <= OPEN_UP_TO
  return toggled.includes(groupKey(group)) !== byItself
}

const FIRST: readonly (RuntimePlace | null)[] = [null]

export function useRuntimeList({ groups, alone, toggled }: Shown): readonly ListRow[] {
  const trpc = useTRPC()
  const [pages, setPages] = useState<Readonly<Record<string, readonly (RuntimePlace | null)[]>>>({})
  const opened = groups.filter((group) => group.total > 1 && isOpen(group, toggled))
  const asked = opened.flatMap((group) =>
    (pages[groupKey(group)] ?? FIRST).map((cursor) => ({ group, cursor })),
  )
  const results = useQueries({
    queries: asked.map(({ group: { name, environment }, cursor }) => ({
      ...trpc.runtimes.page.queryOptions({ environment, group: name, cursor }),
      refetchInterval: LIVE_MS,
    })),
  })
  const listGroupRows = (group: RuntimeGroup): readonly ListRow[] => {
    const key = groupKey(group)
    const mine = results.filter((_, index) => asked[index]?.group === group)
    const rows = mine
      .flatMap(({ data }) => data?.runtimes ?? [])
      .map((runtime) => memberRow(runtime, true))
    // A runtime whose state changes between two pages must not appear in both.
    const unique = [...new Map(rows.map((row) => [row.key, row])).values()]
    const last = mine.at(-1)
    const more = { kind: 'more', key: `${key} more` } as const
    if (last === undefined || last.isPending)
      return [...unique, { ...more, state: 'loading', onMore: () => undefined }]
    if (last.isError)
      return [...unique, { ...more, state: 'failed', onMore: () => void last.refetch() }]
    const { next } = last.data
    if (next === null) return unique
    const onMore = (): void =>
      setPages((before) => ({ ...before, [key]: [...(before[key] ?? FIRST), next] }))
    return [...unique, { ...more, state: 'more', onMore }]
  }
  return groups.flatMap((group): readonly ListRow[] => {
    if (group.total === 1) {
      const only = alone.find(
        ({ groupName, environment }) =>
          groupName === group.name && environment === group.environment,
      )
      return only === undefined ? [] : [memberRow(only, false)]
    }
    const isGroupOpen = opened.includes(group)
    const head = { kind: 'group', key: groupKey(group), group, isOpen: isGroupOpen } as const
    return isGroupOpen ? [head, ...listGroupRows(group)] : [head]
  })
}

function memberRow(runtime: RuntimeFacts, isMember: boolean): ListRow & { kind: 'runtime' } {
  return { kind: 'runtime', key: runtime.id, runtime, isMember }
}
