// Helpers that put data into the first HTML: server components call the procedures of the API in process.
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

/** One query cache per request. */
export const getQueryClient: () => QueryClient = cache(makeQueryClient)

export const trpcServer = createTRPCOptionsProxy({
  router: appRouter,
  ctx: async () => createContext(await headers()),
  queryClient: getQueryClient,
})

export function dehydratedState(): ReturnType<typeof dehydrate> {
  return dehydrate(getQueryClient())
}

/** Reads once for the page and its title. Responds 404 if there is none. Undefined: the read failed otherwise, and the browser retries. */
export async function fetchSubject<Fetched, Failure, Data, Key extends QueryKey>(
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
