// A value that may change many times a second, as it is once a second: for what costs a request each time.
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
