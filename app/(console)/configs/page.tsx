// Configs.
import { HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { ConfigListPage } from '@/components/configs/config-list-page.tsx'
import { dehydratedState, getQueryClient, trpcServer } from '@/server/trpc/prefetch.ts'

export const metadata: Metadata = { title: 'Configs' }

export default async function ConfigsPage() {
  await getQueryClient().prefetchQuery(trpcServer.configs.list.queryOptions({ archived: false }))
  return (
    <HydrationBoundary state={dehydratedState()}>
      <ConfigListPage />
    </HydrationBoundary>
  )
}
