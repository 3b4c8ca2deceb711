'use client'

import { type PointerEvent, useState } from 'react'

/** Shares of the width, `from` < `to`. */
export interface Brush {
  readonly from: number
  readonly to: number
}

const DRAG_PX = 4

interface Pressed {
  readonly start: number
  readonly now: number
  readonly width: number
}

const isDrag = ({ start, now, width }: Pressed): boolean => Math.abs(now - start) * width > DRAG_PX

function toBrush({ start, now }: Pressed): Brush {
  return { from: Math.min(start, now), to: Math.max(start, now) }
}

export function useBrush(acts: {
  readonly onPress: (share: number) => void
  readonly onPick: (share: number) => void
  readonly onBrush: (brush: Brush) => void
}) {
  const [pressed, setPressed] = useState<Pressed | null>(null)
  const computeShare = (event: PointerEvent<HTMLElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    return { share: Math.min(1, Math.max(0, (event.clientX - left) / width)), width }
  }
  return {
    /** Range being marked; null: none. */
    brush: pressed !== null && isDrag(pressed) ? toBrush(pressed) : null,
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      if (event.button !== 0) return
      event.currentTarget.setPointerCapture(event.pointerId)
      const { share, width } = computeShare(event)
      setPressed({ start: share, now: share, width })
      acts.onPress(share)
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      if (pressed !== null) setPressed({ ...pressed, now: computeShare(event).share })
    },
    onPointerUp: () => {
      if (pressed === null) return
      setPressed(null)
      if (isDrag(pressed)) acts.onBrush(toBrush(pressed))
      else acts.onPick(pressed.start)
    },
    onPointerCancel: () => setPressed(null),
  }
}
