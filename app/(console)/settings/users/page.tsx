// Settings: users.
import { HydrationBoundary } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { dehydratedState, getQueryClient, trpcServer } from '@/app/prefetch.ts'
import { Users } from '@/components/people/users.tsx'

export const metadata: Metadata = { title: 'Settings · users' }

export default async function UsersPage() {
  const client = getQueryClient()
  // Each list stands above others, which must not move when it arrives. Who may not see one is told so by the page.
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
