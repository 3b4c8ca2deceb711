// Live hints for a component. A callback reads the data again; it must not assume that every change has a hint of its own.
'use client'

import { useEffect, useEffectEvent } from 'react'
import { browserHub } from './browser-hub.ts'
import { type Hint, type HintFilter, isAbout } from './signal.ts'

/** `callback` gets the hint, or null after a (re)connect, when everything shown should be read again. */
export function useHints(filter: HintFilter, callback: (hint: Hint | null) => void): void {
  const call = useEffectEvent(callback)
  const { kind, id } = filter
  useEffect(
    () =>
      browserHub().listen((signal) => {
        if (signal.kind === 'resync') call(null)
        else if (isAbout(signal.hint, id === undefined ? { kind } : { kind, id })) call(signal.hint)
      }),
    [kind, id],
  )
}
