import { useEffect, useState } from 'react'

/** `text` once it has not changed for `pauseMs`. */
export function usePaused(text: string, pauseMs: number): string {
  const [paused, setPaused] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), pauseMs)
    return () => clearTimeout(timer)
  }, [text, pauseMs])
  return paused
}
