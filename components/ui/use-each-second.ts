// For uses that cost a request for each change.
'use client'

import { useEffect, useRef, useState } from 'react'

export function useEachSecond<Value>(value: Value): Value {
  const [shown, setShown] = useState(value)
  const latest = useRef(value)
  useEffect(() => {
    latest.current = value
  }, [value])
  useEffect(() => {
    const timer = setInterval(() => setShown(latest.current), 1000)
    return () => clearInterval(timer)
  }, [])
  return shown
}
