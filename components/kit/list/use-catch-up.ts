// A list that the user returns to is shown as it was left; changes since then are fetched once.
'use client'

import { useEffect, useEffectEvent, useState } from 'react'
import { isReturning } from './returning.ts'

/** `look` reads the new rows, not the list itself. */
export function useCatchUp(look: () => unknown, isLive = true): void {
  const [isKept] = useState(isReturning)
  const catchUp = useEffectEvent(() => void look())
  useEffect(() => {
    if (isKept && isLive) catchUp()
  }, [isKept, isLive])
}
