import { HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { dehydratedState, getQueryClient, trpcServer } from '@/app/prefetch.ts'
import { Users } from '@/components/people/users.tsx'

export const metadata: Metadata = { title: 'Settings · users' }

export default async function UsersPage() {
  const client = getQueryClient()
  // The lists are stacked, so a list that loads later would move the others. The page itself informs users who may not see a list.
  await Promise.all([
    client.prefetchQuery(trpcServer.members.list.queryOptions()),
    client.prefetchQuery(trpcServer.invitations.list.queryOptions()),
  ])
  return (
    <HydrationBoundary state={dehydratedState()}>
      <Users />
    </HydrationBoundary>
  )
}
