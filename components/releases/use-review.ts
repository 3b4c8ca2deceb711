'use client'
import { useQuery } from '@tanstack/react-query'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import type { PlaceName } from '@/server/releases/release-place.ts'
import type { ReviewResult } from '@/server/releases/release-review.ts'
import type { Subject } from '@/server/releases/release-subject.ts'

const AGAIN_MS = 5_000

export interface ReviewQuestion {
  readonly place: PlaceName
  readonly kind: 'publish' | 'promote' | 'rollback'
  /** Identifies the content in the query cache: a digest, a text or a version. */
  readonly content: string
  readonly subject: () => Promise<Subject | null>
}

/**
 * `gates`: null during the request. `review`: null also if the content cannot be evaluated. `whyOnlyToAll`: without its period; null during
 * the request, or if the reach can be chosen. `isUnsaved`: the text could not be saved, so no review was requested.
 */
export function useReview({ place, kind, content, subject }: ReviewQuestion) {
  const client = useTRPCClient()
  const query = useQuery({
    queryKey: ['review', place, kind, content],
    queryFn: async (): Promise<ReviewResult | null> => {
      const about = await subject()
      return about === null
        ? null
        : await client.releases.review.query({ ...place, kind, subject: about })
    },
    // No notification reports runtimes that come and go, or the end of a backtest.
    refetchInterval: AGAIN_MS,
  })
  useReadOnChange({ kind: 'config' }, query)
  const { data, error } = query
  return {
    review: data?.ok === true ? data.review : null,
    gates:
      data === undefined ? null : data === null ? [] : data.ok ? data.review.gates : data.gates,
    whyOnlyToAll: data?.whyOnlyToAll ?? null,
    isUnsaved: data === null,
    problem: error?.message ?? null,
  }
}
