'use client'

import { plural } from '@signalbox/core/analysis'
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Link } from '@/components/ui/link.tsx'
import { useEachSecond } from '@/components/ui/use-each-second.ts'
import type { ShownProgress } from '@/server/explanations/attempt-chain.ts'

const WORD = {
  progressing: 'progressing',
  waiting: 'waiting on running calls',
  overridden: 'bypassed',
} as const satisfies Partial<Record<ShownProgress['state'], string>>

/** States with a warning color, because a user should act on them. */
const LOUD: ReadonlySet<ShownProgress['state']> = new Set(['livelock', 'cap_near'])

function progressWord({ state, repeats, blocksLeft }: ShownProgress): string {
  if (state === 'livelock') return `no progress in ${plural(repeats, 'attempt')}`
  return state === 'cap_near' ? `${plural(blocksLeft ?? 0, 'block')} left` : WORD[state]
}

export function ProgressText({ progress }: { readonly progress: ShownProgress }) {
  const isLoud = LOUD.has(progress.state)
  return (
    <span title={progress.sentence} className={isLoud ? 'text-warning-fg' : 'text-text-2'}>
      {progressWord(progress)}
    </span>
  )
}

/** Renders nothing, not even the separator, without progress. */
export function SessionProgress({ stopId: newest }: { readonly stopId: string | null }) {
  const trpc = useTRPC()
  // A session may try to stop many times a second, and each answer reads all of its attempts.
  const stopId = useEachSecond(newest)
  const query = useQuery(
    trpc.stops.progress.queryOptions(
      { stopIds: stopId === null ? [] : [stopId] },
      { enabled: stopId !== null },
    ),
  )
  const [progress] = query.data ?? []
  if (progress === undefined || stopId === null) return null
  return (
    <span className="inline-block">
      {'· '}
      <Link className="underline" href={`/stops/${stopId}`}>
        <ProgressText progress={progress} />
      </Link>
    </span>
  )
}
