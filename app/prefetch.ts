// What server components use to have data in the first HTML: the same procedures, called in process.
import 'server-only'
import {
  dehydrate,
  type FetchQueryOptions,
  type QueryClient,
  type QueryKey,
} from '@tanstack/react-query'
import { TRPCError } from '@trpc/server'
import { createTRPCOptionsProxy } from '@trpc/tanstack-react-query'
import { headers } from 'next/headers'
import { notFound } from 'next/navigation'
import { cache } from 'react'
import { makeQueryClient } from '@/components/trpc/query-client.ts'
import { createContext } from '@/server/platform/trpc/context.ts'
import { appRouter } from '@/server/trpc/root.ts'

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

/**
 * What a page is about, fetched once for the page and its title. The page answers 404 when there is no such thing. Undefined: it could not be
 * read for another reason, and the browser asks again.
 */
export async function subjectOf<Fetched, Failure, Data, Key extends QueryKey>(
  query: FetchQueryOptions<Fetched, Failure, Data, Key>,
): Promise<Data | undefined> {
  try {
    return await getQueryClient().fetchQuery(query)
  } catch (error) {
    const code = error instanceof TRPCError ? error.code : null
    if (code === 'NOT_FOUND' || code === 'BAD_REQUEST') notFound()
    return undefined
  }
}
