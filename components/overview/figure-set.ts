import type { inferRouterOutputs } from '@trpc/server'
import type { AppRouter } from '@/server/trpc/root.ts'

export type FigureSet = inferRouterOutputs<AppRouter>['overview']['figures']
