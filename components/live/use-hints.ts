// Live hints for a component. A callback reads the data again; it must not assume that every change has a hint of its own.
'use client'

import { useEffect, useEffectEvent } from 'react'
import type { Hint } from '@/server/platform/live/hint.ts'
import { browserHub } from './browser-hub.ts'
import { type HintFilter, isAbout, type LiveSignal } from './signal.ts'

/** Subscription: notifications that pass one of the filters. */
export type Wanted = HintFilter | readonly HintFilter[]

/** `callback` gets the hint, or null after a (re)connect, when everything shown should be read again. */
export function useHints(wanted: Wanted, callback: (hint: Hint | null) => void): void {
  const hear = useEffectEvent((signal: LiveSignal) => {
    if (signal.kind === 'resync') callback(null)
    else if ([wanted].flat().some((filter) => isAbout(signal.hint, filter))) callback(signal.hint)
  })
  useEffect(() => browserHub().listen((signal) => hear(signal)), [])
}
