// Steps to the next or previous state change. A step that is under way gives way to the next one.
'use client'

import { useRef } from 'react'
import { toast } from '@/components/ui/toast.tsx'
import type { Position } from './position.ts'
import type { LoadTimeline } from './use-timeline.ts'

interface Steps {
  readonly load: LoadTimeline
  readonly position: Position
  readonly newestSeq: number
  readonly onFound: (seq: number) => void
}

/** A row is one step: the next step is after its last event, or before its first. */
export function useStateSteps({
  load,
  position,
  newestSeq,
  onFound,
}: Steps): (direction: 1 | -1) => void {
  const turn = useRef(0)
  const { seq, other, side } = position
  const [first, last] = side === 'after' ? [other + 1, seq] : [seq + 1, other]
  return (direction) => {
    turn.current += 1
    const own = turn.current
    const isForward = direction === 1
    const way = isForward ? { from: last, end: newestSeq } : { from: first, end: 1 }
    load()
      .then((line) => line.nextChange(way.from, direction, way.end))
      .then((found) => {
        if (own !== turn.current) return
        if (found !== null) onFound(found)
        else toast(isForward ? 'No later state change' : 'No earlier state change')
      })
      .catch(() => toast('The states could not be loaded.'))
  }
}
