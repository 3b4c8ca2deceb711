import { HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { dehydratedState, getQueryClient, trpcServer } from '@/app/prefetch.ts'
import { BY_CURSOR } from '@/components/kit/list/kept-pages.ts'
import { ConfigListPage } from '@/components/pages/config-list-page.tsx'
import { openView, type SearchParams } from '../open-view.ts'

export const metadata: Metadata = { title: 'Configs' }

export default async function ConfigsPage({
  searchParams,
}: {
  readonly searchParams: SearchParams
}) {
  await openView('configs', searchParams)
  const queries = getQueryClient()
  await Promise.all([
    queries.prefetchInfiniteQuery(
      trpcServer.configs.list.infiniteQueryOptions({ filter: {}, order: 'prompt' }, BY_CURSOR),
    ),
    queries.prefetchQuery(trpcServer.configs.unmanaged.queryOptions({ environment: null })),
  ])
  return (
    <HydrationBoundary state={dehydratedState()}>
      <ConfigListPage openedAt={Date.now()} />
    </HydrationBoundary>
  )
}
