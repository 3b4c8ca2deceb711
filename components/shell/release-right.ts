'use client'
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import type { PlaceRight } from '@/server/platform/auth/place-rights.ts'
import type { Right } from './use-right.ts'

const STALE_MS = 60_000

function findRight(rights: readonly PlaceRight[] | undefined, environment: string): Right {
  const right = rights?.find((each) => each.environment === environment)
  return { isAllowed: right?.refusal === null, reason: right?.refusal ?? null }
}

export function useReleaseRight(environment: string): Right {
  return useReleaseRights()(environment)
}

export function useReleaseRights(): (environment: string) => Right {
  const trpc = useTRPC()
  const query = useQuery({ ...trpc.releases.rights.queryOptions(), staleTime: STALE_MS })
  return (environment) => findRight(query.data, environment)
}

export function useCallRight(environment: string): Right {
  const trpc = useTRPC()
  const query = useQuery({ ...trpc.callApprovals.rights.queryOptions(), staleTime: STALE_MS })
  return findRight(query.data, environment)
}
