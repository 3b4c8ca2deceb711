'use client'
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
  /** Slug; null: the user has one project. */
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
