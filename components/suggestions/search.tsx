'use client'

import { useMutation } from '@tanstack/react-query'
import { Search } from 'lucide-react'
import { useRight } from '@/components/shell/use-right.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import { SearchProgress } from '@/components/ui/search-progress.tsx'
import { ErrorLine } from '@/components/ui/states.tsx'
import type { LearnPlace } from '@/server/suggestions/learn-runs.sql.ts'
import type { Suggestions } from '@/server/suggestions/suggestions.ts'
import { useSuggestionOptions } from './use-suggestions.ts'

export function isSearching(run: Suggestions['run']): boolean {
  return run?.status === 'queued' || run?.status === 'running'
}

export function SearchButton({
  place,
  isAgain = false,
}: {
  readonly place: LearnPlace
  readonly isAgain?: boolean
}) {
  const trpc = useTRPC()
  const right = useRight('editor')
  const start = useMutation(trpc.suggestions.start.mutationOptions(useSuggestionOptions()))
  return (
    <ReasonedButton
      {...right}
      variant={isAgain ? 'secondary' : 'primary'}
      disabled={start.isPending}
      onClick={() => start.mutate(place)}
    >
      <Search aria-hidden size={14} />
      {isAgain ? 'Search again' : 'Search for rules'}
    </ReasonedButton>
  )
}

export function FirstSearch({ place }: { readonly place: LearnPlace }) {
  return (
    <section className="flex flex-col items-start gap-3">
      <p className="max-w-prose text-text-2">
        A search reads the sessions of the last 30 days in {place.environment} and proposes the
        rules that good sessions have in common and that are unlikely to be chance. The more
        sessions you mark as good or bad, the better they tell which rules matter.
      </p>
      <SearchButton place={place} />
    </section>
  )
}

/** Nothing when the newest search is done. */
export function SearchState({
  place,
  run,
}: {
  readonly place: LearnPlace
  readonly run: Suggestions['run']
}) {
  const trpc = useTRPC()
  const cancel = useMutation(trpc.suggestions.cancel.mutationOptions(useSuggestionOptions()))
  if (run?.status === 'failed') return <ErrorLine className="px-4 pt-4">{run.error}</ErrorLine>
  if (run?.status === 'cancelled') {
    return <p className="px-4 pt-4 text-text-2">The search was canceled.</p>
  }
  if (run === null || !isSearching(run)) return null
  const { sessionsFound: all, sessionsRead: read } = run
  const text =
    all === null
      ? 'The search is starting.'
      : read < all
        ? `Read ${Math.floor((100 * read) / all)}% of the sessions.`
        : 'Testing the rules together.'
  return (
    <SearchProgress
      {...{ text, read, all }}
      label="Sessions read"
      isCanceling={cancel.isPending}
      onCancel={() => cancel.mutate(place)}
    />
  )
}
