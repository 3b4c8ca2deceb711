// What server components use to have data in the first HTML: the same procedures, called in process.
import 'server-only'
import { dehydrate, type QueryClient } from '@tanstack/react-query'
import { createTRPCOptionsProxy } from '@trpc/tanstack-react-query'
import { headers } from 'next/headers'
import { cache } from 'react'
import { makeQueryClient } from '@/components/query-client.ts'
import { createContext } from './context.ts'
import { appRouter } from './root.ts'

/** One cache per request. */
export const getQueryClient: () => QueryClient = cache(makeQueryClient)

/** `trpcServer.sessions.list.queryOptions(input)`, for prefetch. */
export const trpcServer = createTRPCOptionsProxy({
  router: appRouter,
  ctx: async () => createContext(await headers()),
  queryClient: getQueryClient,
})

/** For `<HydrationBoundary state={dehydratedState()}>`. */
export function dehydratedState(): ReturnType<typeof dehydrate> {
  return dehydrate(getQueryClient())
}
