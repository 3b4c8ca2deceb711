// An empty list has no row that must keep its place: it is read again as soon as there is something new, without being asked.
'use client'

import { useEffect, useEffectEvent } from 'react'

interface LiveList {
  /** Undefined: not read yet. */
  readonly rows: readonly unknown[] | undefined
  readonly fresh: number
  readonly readAgain: () => void
}

/** Returns the number of rows that wait for the reader. */
export function useFill({ rows, fresh, readAgain }: LiveList): number {
  const isToFill = rows?.length === 0 && fresh > 0
  const fill = useEffectEvent(readAgain)
  useEffect(() => {
    if (isToFill) fill()
  }, [isToFill])
  return isToFill ? 0 : fresh
}
