'use client'
// The server's judgement of a release that is not made yet, kept up to date while the screen is open.
import { useQuery } from '@tanstack/react-query'
import { useReadOnHint } from '@/components/live/use-read-on-hint.ts'
import { useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import type { ReviewResult } from '@/server/releases/release-review.ts'
import type { Subject } from '@/server/releases/release-subject.ts'
import type { ReviewedPlace } from './gate-action.tsx'

const AGAIN_MS = 5_000

export interface ReviewQuestion {
  readonly place: ReviewedPlace
  readonly kind: 'publish' | 'promote' | 'rollback'
  /** Names the content in the cache: a digest or a version. Null: there is nothing to judge yet. */
  readonly content: string | null
  readonly subject: () => Promise<Subject | null>
}

/** `review` is null while it is asked or when there is nothing to judge; `problem` says why it cannot be. */
export function useReview({ place, kind, content, subject }: ReviewQuestion) {
  const client = useTRPCClient()
  const query = useQuery({
    queryKey: ['review', place, kind, content],
    enabled: content !== null,
    queryFn: async (): Promise<ReviewResult> => {
      const about = await subject()
      if (about === null) return { ok: false, message: 'The draft is not saved yet' }
      return await client.releases.review.query({ ...place, kind, subject: about })
    },
    // Runtimes come and go, and a backtest ends, without a hint of their own here.
    refetchInterval: AGAIN_MS,
  })
  useReadOnHint({ kind: 'config' }, query)
  const { data, error } = query
  return {
    review: data?.ok === true ? data.review : null,
    problem: data?.ok === false ? data.message : (error?.message ?? null),
  }
}
