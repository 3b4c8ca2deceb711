// Counted in the database, so that it holds for all replicas (decision 58). Not for frequent requests: each attempt is a statement.
import 'server-only'
import { createHash } from 'node:crypto'
import { registerReset } from '../base/process-memory.ts'
import { countTry, removePastTries, uncountTry } from './throttles.sql.ts'

export interface Throttle {
  /** Counts one attempt; false: the limit is reached. */
  admit(key: string): Promise<boolean>
  /** Takes one attempt back, where only failures count. */
  forgive(key: string): Promise<void>
}

const SWEEP_MS = 60_000
let sweptAt = 0
registerReset(() => {
  sweptAt = 0
})

async function sweep(): Promise<void> {
  if (Date.now() - sweptAt < SWEEP_MS) return
  sweptAt = Date.now()
  await removePastTries()
}

/** `name` separates the keys of different limits. */
export function createThrottle(options: {
  readonly name: string
  readonly limit: number
  readonly windowMs: number
}): Throttle {
  const { name, limit, windowMs } = options
  const hashThrottleKey = (key: string): string =>
    createHash('sha256').update(`${name}\0${key}`).digest('hex')
  return {
    async admit(key) {
      await sweep()
      return (await countTry(hashThrottleKey(key), windowMs)) <= limit
    },
    forgive: (key) => uncountTry(hashThrottleKey(key)),
  }
}

/** An IPv6 address counts as its /64, the range of one host. All unverified addresses count as one. */
export function toNetwork(address: string | null): string {
  if (address === null) return 'unknown'
  if (!address.includes(':')) return address
  const [before = '', after] = address.split('::')
  const splitAddress = (text: string) => text.split(':').filter((group) => group !== '')
  const [head, tail] = [splitAddress(before), splitAddress(after ?? '')]
  const left = Math.max(0, 8 - head.length - tail.length)
  const all = [...head, ...Array<string>(left).fill('0'), ...tail]
  return all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}
