import type { Metadata } from 'next'
import { getQueryClient, trpcServer } from '@/app/prefetch.ts'
import { SessionsPage } from '@/components/pages/sessions-page.tsx'
import { openView, type SearchParams } from '../open-view.ts'

export const metadata: Metadata = { title: 'Sessions' }

export default async function Page({ searchParams }: { readonly searchParams: SearchParams }) {
  await openView('sessions', searchParams)
  const { env } = await searchParams
  const environment = typeof env === 'string' ? { environment: env } : {}
  const running = trpcServer.sessions.total.queryOptions({
    filter: { status: 'running', ...environment },
  })
  await getQueryClient().prefetchQuery(running)
  const count = getQueryClient().getQueryData(running.queryKey) ?? 0
  return <SessionsPage isLiveFirst={count > 0} openedAt={Date.now()} />
}
