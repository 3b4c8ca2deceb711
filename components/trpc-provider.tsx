'use client'
// The browser's side of tRPC: one query client, one HTTP link for calls, server-sent events for subscriptions.
import { QueryClientProvider } from '@tanstack/react-query'
import { createTRPCClient, httpBatchLink, httpSubscriptionLink, splitLink } from '@trpc/client'
import { createTRPCContext } from '@trpc/tanstack-react-query'
import { type ReactNode, useState } from 'react'
import superjson from 'superjson'
import type { AppRouter } from '@/server/trpc/root.ts'
import { makeQueryClient } from './query-client.ts'

const context = createTRPCContext<AppRouter>()

export const { useTRPC, useTRPCClient } = context

const URL_PATH = '/api/trpc'

/** Every call names the project that the page was opened with, so that a tab stays in its own whatever others do. */
function makeClient(project: string | null) {
  const url = project === null ? URL_PATH : `${URL_PATH}?project=${encodeURIComponent(project)}`
  return createTRPCClient<AppRouter>({
    links: [
      splitLink({
        condition: (operation) => operation.type === 'subscription',
        true: httpSubscriptionLink({ url, transformer: superjson }),
        false: httpBatchLink({ url, transformer: superjson, maxURLLength: 4000 }),
      }),
    ],
  })
}

export function TrpcProvider({
  project,
  children,
}: {
  /** Slug; null for a person with one project. */
  readonly project: string | null
  readonly children: ReactNode
}) {
  const [queryClient] = useState(makeQueryClient)
  const [trpcClient] = useState(() => makeClient(project))
  return (
    <QueryClientProvider client={queryClient}>
      <context.TRPCProvider trpcClient={trpcClient} queryClient={queryClient}>
        {children}
      </context.TRPCProvider>
    </QueryClientProvider>
  )
}
