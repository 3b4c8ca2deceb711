'use client'
// The browser's side of tRPC: one query client, one HTTP link for calls, server-sent events for subscriptions.
import { QueryClientProvider } from '@tanstack/react-query'
import {
  createTRPCClient,
  httpBatchLink,
  httpLink,
  httpSubscriptionLink,
  splitLink,
} from '@trpc/client'
import { createTRPCContext } from '@trpc/tanstack-react-query'
import { type ReactNode, useState } from 'react'
import type { AppRouter } from '@/server/trpc/root.ts'
import { HeardEventSource } from './live/heard-event-source.ts'
import { makeQueryClient } from './query-client.ts'

const context = createTRPCContext<AppRouter>()

export const { useTRPC, useTRPCClient } = context

const URL_PATH = '/api/trpc'

/** Context of a call that has a request of its own: calls of one moment share one, and all of its answers come with the slowest. */
export const ALONE = { isAlone: true } as const

/** Every call names the project that the page was opened with, so that a tab stays in its own whatever others do. */
function makeClient(project: string | null) {
  const url = project === null ? URL_PATH : `${URL_PATH}?project=${encodeURIComponent(project)}`
  return createTRPCClient<AppRouter>({
    links: [
      splitLink({
        condition: (operation) => operation.type === 'subscription',
        true: httpSubscriptionLink({
          url,
          ...(HeardEventSource === undefined ? {} : { EventSource: HeardEventSource }),
        }),
        false: splitLink({
          condition: ({ context }) => context['isAlone'] === true,
          true: httpLink({ url }),
          false: httpBatchLink({ url, maxURLLength: 4000 }),
        }),
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
