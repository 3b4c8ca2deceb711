'use client'

import { useEffect, useState } from 'react'
import type { LoadTimeline, Moment, Timeline } from './timeline.ts'

export interface Moments {
  readonly shown: Moment
  readonly other: Moment
}

interface Loaded extends Moments {
  readonly key: string
}

export type MomentsState =
  | { readonly kind: 'ready'; readonly moments: Moments }
  /** `moments`: states of another position; null: none yet. */
  | { readonly kind: 'loading'; readonly moments: Moments | null }
  | { readonly kind: 'failed'; readonly why: string; readonly retry: () => void }

/** A changed `revision` means that more events may be stored. */
export function useMoments(
  load: LoadTimeline,
  {
    seq,
    other,
    revision,
  }: { readonly seq: number; readonly other: number; readonly revision: number },
): MomentsState {
  const [timeline, setTimeline] = useState<Timeline | null>(null)
  const [loaded, setLoaded] = useState<Loaded | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  const [attempt, setAttempt] = useState(0)
  const key = `${seq} ${other} ${revision} ${attempt}`
  const [shown, beside] = [timeline?.peek(seq) ?? null, timeline?.peek(other) ?? null]
  const found = shown === null || beside === null ? null : { shown, other: beside }
  const isFound = found !== null
  // Keep the last states on screen while the next ones load.
  if (found !== null && (loaded?.shown !== found.shown || loaded.other !== found.other)) {
    setLoaded({ ...found, key })
  }
  useEffect(() => {
    if (isFound) return
    let isLeft = false
    const ask = async (): Promise<void> => {
      const line = await load()
      const [one, two] = [await line.load(seq), await line.load(other)]
      if (isLeft) return
      setTimeline(line)
      setFailure(null)
      setLoaded({ shown: one, other: two, key })
    }
    ask().catch((error: unknown) => {
      if (!isLeft)
        setFailure(error instanceof Error ? error.message : 'The state could not be loaded.')
    })
    return () => {
      isLeft = true
    }
  }, [isFound, load, seq, other, key])
  if (found !== null) return { kind: 'ready', moments: found }
  if (failure !== null) {
    return { kind: 'failed', why: failure, retry: () => setAttempt((count) => count + 1) }
  }
  return loaded?.key === key
    ? { kind: 'ready', moments: loaded }
    : { kind: 'loading', moments: loaded }
}
