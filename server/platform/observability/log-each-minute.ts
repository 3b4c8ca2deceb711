// Keeps a flood of similar lines out of the log.
import { logger } from './log.mjs'

const MINUTE_MS = 60_000

/** Messages that follow within a minute become one line: the newest, with `times`. Not for a request, whose id that line would carry. */
export function logEachMinute(level: 'warn' | 'error', message: string): (fields: object) => void {
  /** Null: none waits. */
  let newest: object | null = null
  let times = 0
  let isResting = false
  const log = (fields: object): void => {
    logger[level](fields, message)
    isResting = true
    setTimeout(() => {
      isResting = false
      if (newest !== null) log({ ...newest, times })
      newest = null
      times = 0
    }, MINUTE_MS).unref()
  }
  return (fields) => {
    if (!isResting) return log(fields)
    newest = fields
    times += 1
  }
}
