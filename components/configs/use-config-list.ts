'use client'
// Read again when a config changes, and periodically: less often with more pages.
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { BY_CURSOR } from '@/components/kit/list/kept-pages.ts'
import type { ShownList } from '@/components/kit/list/use-live-list.ts'
import { useReadList } from '@/components/kit/list/use-read-list.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import type { CONFIGS } from '@/server/configs/configs.list.ts'
import type { ListedConfig } from '@/server/configs/configs.ts'
import type { FilterOf, OrderName } from '@/server/platform/list/define-list.ts'
import type { ListedEnvironment } from '@/server/runtimes/runtime-list.ts'

/** Counts of sessions and runtimes change with time, without a notification of a config. */
const LOOK_EVERY_MS = 10_000

/** The id of a row is `ns/key`, which the address uses for the selected row. */
export function useConfigList(
  filter: FilterOf<typeof CONFIGS>,
  order: OrderName<typeof CONFIGS>,
): ShownList<ListedConfig> {
  const trpc = useTRPC()
  const query = useInfiniteQuery({
    ...trpc.configs.list.infiniteQueryOptions(
      { filter, order },
      { ...BY_CURSOR, placeholderData: keepPreviousData },
    ),
    refetchInterval: ({ state }) => LOOK_EVERY_MS * (state.data?.pages.length ?? 1),
  })
  const list = useReadList(query, { kind: 'config' }, query.data?.pages[0]?.total ?? null)
  const rows = useMemo(
    () => list.rows?.map((config) => ({ ...config, id: `${config.ns}/${config.key}` })),
    [list.rows],
  )
  return { ...list, rows }
}

const NONE: readonly never[] = []

/** In order of promotion; empty while they load. */
export function useEnvironments(): readonly ListedEnvironment[] {
  const trpc = useTRPC()
  return useQuery(trpc.runtimes.environments.queryOptions()).data ?? NONE
}
