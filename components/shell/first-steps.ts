'use client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import type { ConfigName } from '@/components/paths/config-name.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import type { FirstSteps } from '@/server/overview/first-steps.sql.ts'
import { DISMISSED, nameFirstStepsCookie } from './first-steps-cookie.ts'
import { setCookie } from './set-cookie.ts'

export const STEP_COUNT = 3
const LOOK_EVERY_MS = 5_000

let isGone = false
const watchers = new Set<() => void>()

function watch(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}

/** Undefined: not loaded. */
function useProjectSlug(): string | undefined {
  const trpc = useTRPC()
  return useQuery({ ...trpc.projects.current.queryOptions(), staleTime: 60_000 }).data?.slug
}

export function useDismissFirstSteps(): () => void {
  const slug = useProjectSlug()
  return () => {
    if (slug !== undefined) setCookie(nameFirstStepsCookie(slug), DISMISSED)
    isGone = true
    for (const watcher of watchers) watcher()
  }
}

export function listStepsDone(steps: FirstSteps): readonly boolean[] {
  return [steps.hasCalled, steps.isWatched, steps.isEnforced]
}

/** `prompt` null: the steps of the prompt with the most progress. */
export function useFirstSteps(isEnabled: boolean, prompt: ConfigName | null = null) {
  const trpc = useTRPC()
  return useQuery({
    ...trpc.overview.steps.queryOptions(prompt === null ? undefined : { prompt }),
    enabled: isEnabled,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data !== undefined && listStepsDone(state.data).every(Boolean) ? false : LOOK_EVERY_MS,
  }).data
}

/** Number of completed steps. Null: skipped, completed or not loaded. `isDismissed`: before the page opened. */
export function useStepsDone(isDismissed: boolean): number | null {
  const wasSkipped = useSyncExternalStore(
    watch,
    () => isGone,
    () => false,
  )
  const isHidden = isDismissed || wasSkipped
  const steps = useFirstSteps(!isHidden)
  const done = steps === undefined ? null : listStepsDone(steps).filter(Boolean).length
  const slug = useProjectSlug()
  useEffect(() => {
    if (done === STEP_COUNT && slug !== undefined) setCookie(nameFirstStepsCookie(slug), DISMISSED)
  }, [done, slug])
  return isHidden || done === STEP_COUNT ? null : done
}
