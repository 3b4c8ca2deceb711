'use client'

import { useEffect, useRef, useState } from 'react'

const FAST_PER_SECOND = 500
const LOOK_EVERY_MS = 1_000

/** Events per second, measured every second; null: not above `FAST_PER_SECOND`. */
export function useFastRate(newestSeq: number): number | null {
  const newest = useRef(newestSeq)
  const [rate, setRate] = useState<number | null>(null)
  useEffect(() => {
    newest.current = newestSeq
  }, [newestSeq])
  useEffect(() => {
    let [seq, at] = [newest.current, performance.now()]
    const timer = setInterval(() => {
      const [grown, passed] = [newest.current - seq, performance.now() - at]
      ;[seq, at] = [newest.current, performance.now()]
      const perSecond = Math.round((grown / passed) * 1_000)
      setRate(perSecond > FAST_PER_SECOND ? perSecond : null)
    }, LOOK_EVERY_MS)
    return () => clearInterval(timer)
  }, [])
  return rate
}
