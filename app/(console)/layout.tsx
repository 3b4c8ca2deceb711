// The gate of the console: signed in, or sent to the login; nobody set up yet, or sent to the set-up page.
import { HydrationBoundary } from '@tanstack/react-query'
import { TRPCError } from '@trpc/server'
import { redirect } from 'next/navigation'
import type { ReactNode } from 'react'
import { LiveConnection } from '@/components/live/live-connection.tsx'
import { AppFrame } from '@/components/shell/app-frame.tsx'
import { dehydratedState, getQueryClient, trpcServer } from '@/server/trpc/prefetch.ts'

export default async function ConsoleLayout({ children }: { readonly children: ReactNode }) {
  const client = getQueryClient()
  const me = await client.fetchQuery(trpcServer.members.me.queryOptions()).catch(signedOut)
  if (me === null) redirect('/login')
  return (
    <HydrationBoundary state={dehydratedState()}>
      <LiveConnection />
      <AppFrame>{children}</AppFrame>
    </HydrationBoundary>
  )
}

/** Only a missing login leads to the login page; a database that is away must not look like a sign-out. */
function signedOut(error: unknown): null {
  if (error instanceof TRPCError && error.code === 'UNAUTHORIZED') return null
  throw error
}
