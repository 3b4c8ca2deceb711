'use client'
// The browser's side of tRPC for components: one query client, one way to the server.
import { QueryClientProvider } from '@tanstack/react-query'
import { createTRPCContext } from '@trpc/tanstack-react-query'
import { type ReactNode, useState } from 'react'
import type { AppRouter } from '@/server/trpc/root.ts'
import { makeQueryClient } from './query-client.ts'
import { makeTrpcClient } from './trpc-client.ts'

const context = createTRPCContext<AppRouter>()

export const { useTRPC, useTRPCClient } = context

export function TrpcProvider({
  project,
  children,
}: {
  /** Slug; null for a person with one project. */
  readonly project: string | null
  readonly children: ReactNode
}) {
  const [queryClient] = useState(makeQueryClient)
  const [trpcClient] = useState(() => makeTrpcClient(project))
  return (
    <QueryClientProvider client={queryClient}>
      <context.TRPCProvider trpcClient={trpcClient} queryClient={queryClient}>
        {children}
      </context.TRPCProvider>
    </QueryClientProvider>
  )
}
