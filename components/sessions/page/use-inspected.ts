'use client'

import { useCallback, useMemo, useRef } from 'react'
import { toast } from '@/components/ui/toast.tsx'
import { useEachSecond } from '@/components/ui/use-each-second.ts'
import type { SessionHead } from '@/server/sessions/session-head.sql.ts'
import type { EventRow } from './rows/session-rows.ts'
import type { PlaceBarProps } from './state/place-bar.tsx'
import { computePosition, type Position, viewedSeq } from './state/position.ts'
import type { StatePaneProps } from './state/state-pane.tsx'
import type { LoadTimeline } from './state/timeline.ts'
import type { EventIndex } from './use-event-index.ts'
import type { SessionView } from './use-session-view.ts'

interface Steps {
  readonly load: LoadTimeline
  readonly position: Position
  readonly newestSeq: number
  readonly onFound: (seq: number) => void
}

/** A row is one step: forward starts after its last event, back starts before its first. */
function useStateSteps({ load, position, newestSeq, onFound }: Steps): (direction: 1 | -1) => void {
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

export interface Inspected {
  readonly place: PlaceBarProps
  readonly state: StatePaneProps
}

interface Input {
  readonly head: SessionHead
  readonly index: Pick<EventIndex, 'entries' | 'isLoaded'>
  readonly newestSeq: number
  readonly selected: EventRow | null
  readonly view: SessionView
  readonly load: LoadTimeline
  readonly act: {
    readonly select: (seq: number) => void
    readonly toNow: () => void
    readonly step: (direction: 1 | -1, wanted: 'verdict') => void
  }
}

export function useInspected(input: Input): Inspected {
  const { head, index, newestSeq, selected, view, act, load } = input
  // The newest event changes many times a second; its state is computed once a second.
  const present = useEachSecond(newestSeq)
  const entries = useEachSecond(index.entries)
  const shownNewest = selected === null ? present : newestSeq
  // The row of the event in the address may not be loaded yet; its state does not depend on the row.
  const at = view.at ?? (selected === null ? view.selectedSeq : null)
  const position = useMemo(
    () => computePosition(selected, at, shownNewest),
    [selected, at, shownNewest],
  )
  const onChange = useStateSteps({ load, position, newestSeq, onFound: act.select })
  const { configDigest, configVersion, taken } = head
  const versionName = useCallback(
    (digest: string) => describeInspected(digest, { configDigest, configVersion, taken }),
    [configDigest, configVersion, taken],
  )
  const onSide = (side: 'before' | 'after'): void =>
    view.setAt(side === 'before' && selected !== null ? Math.max(0, selected.key - 1) : null)
  const { id: sessionId, status } = head
  return {
    place: {
      position,
      selected,
      newestSeq: shownNewest,
      hasEnded: status === 'ended',
      onReturn: act.toNow,
      onSide,
      onChange,
      viewed: viewedSeq(selected, view.selectedSeq, position.seq),
      onVerdict: (direction) => act.step(direction, 'verdict'),
    },
    state: {
      sessionId,
      load,
      position,
      entries,
      versionName,
      isIndexWhole: index.isLoaded,
      isRunning: status === 'running',
    },
  }
}

function describeInspected(
  digest: string,
  {
    configDigest,
    configVersion,
    taken,
  }: Pick<SessionHead, 'configDigest' | 'configVersion' | 'taken'>,
): string {
  const short = `${digest.replace(/^sha256:/, '').slice(0, 8)}…`
  const number =
    digest === taken?.digest ? taken.version : digest === configDigest ? configVersion : null
  return number === null ? short : `v${number} (${short})`
}
