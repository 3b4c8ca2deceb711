import { HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { dehydratedState, getQueryClient, trpcServer } from '@/app/prefetch.ts'
import { NewConfigPage } from '@/components/pages/new-config-page.tsx'

export const metadata: Metadata = { title: 'New config' }

export default async function Page() {
  await getQueryClient().prefetchQuery(trpcServer.configs.templates.queryOptions())
  return (
    <HydrationBoundary state={dehydratedState()}>
      <NewConfigPage />
    </HydrationBoundary>
  )
}
