import type { JsonObject } from '../model/json.ts'
import { isSameJson } from '../model/same-json.ts'
import { FAMILIES, groupName } from './counts.ts'
import type { GroupWriter } from './group-writer.ts'

/** Seconds over which calls are counted. */
export const WINDOWS = [60, 600, 3600] as const

interface ToolTimes {
  /** Epoch ms of allowed calls. */
  readonly at: number[]
  /** Index of the oldest call in each window. */
  readonly oldest: [number, number, number]
  /** Most calls in each window in this session. */
  readonly most: [number, number, number]
  failures: number
  mostFailures: number
}

type Histogram = Map<number, number>

function count(histogram: Histogram, value: number): void {
  histogram.set(value, (histogram.get(value) ?? 0) + 1)
}

export class RateCounts {
  readonly #rates = new Map<number, readonly Histogram[]>()
  readonly #failures = new Map<number, Histogram>()
  readonly #repeats: Histogram = new Map()

  // The session that is read.
  readonly #tools = new Map<number, ToolTimes>()
  #lastArgs: JsonObject = {}
  #lastTool = -1
  #row = 0
  #mostRow = 0

  begin(): void {
    this.#tools.clear()
    this.#lastTool = -1
    this.#row = 0
    this.#mostRow = 0
  }

  #find(x: number): ToolTimes {
    const known = this.#tools.get(x)
    if (known !== undefined) return known
    const none = () => [0, 0, 0] as [number, number, number]
    const times = { at: [], oldest: none(), most: none(), failures: 0, mostFailures: 0 }
    this.#tools.set(x, times)
    return times
  }

  /** A call is judged at this time, as a rate limit judges it. */
  judge(x: number, now: number): void {
    const { at, oldest, most } = this.#find(x)
    for (let w = 0; w < WINDOWS.length; w++) {
      let from = oldest[w] ?? 0
      const start = now - (WINDOWS[w] ?? 0) * 1000
      while (from < at.length && (at[from] ?? 0) <= start) from += 1
      oldest[w] = from
      most[w] = Math.max(most[w] ?? 0, at.length - from + 1)
    }
  }

  admit(x: number, now: number): void {
    this.#find(x).at.push(now)
  }

  /** Every request counts, as for the advice about repeated calls. */
  repeat(x: number, args: JsonObject): void {
    const isSame = x === this.#lastTool && isSameJson(args, this.#lastArgs)
    this.#row = isSame ? this.#row + 1 : 1
    this.#lastTool = x
    this.#lastArgs = args
    this.#mostRow = Math.max(this.#mostRow, this.#row)
  }

  finish(x: number, isSuccess: boolean): void {
    const times = this.#find(x)
    times.failures = isSuccess ? 0 : times.failures + 1
    times.mostFailures = Math.max(times.mostFailures, times.failures)
  }

  end(): void {
    if (this.#mostRow > 0) count(this.#repeats, this.#mostRow)
    for (const [x, { most, mostFailures }] of this.#tools) {
      if (most[0] > 0) {
        const histograms = this.#rates.get(x) ?? WINDOWS.map(() => new Map<number, number>())
        this.#rates.set(x, histograms)
        for (const [w, histogram] of histograms.entries()) count(histogram, most[w] ?? 0)
      }
      const failures = this.#failures.get(x) ?? new Map<number, number>()
      this.#failures.set(x, failures)
      count(failures, mostFailures)
    }
  }

  write(writer: GroupWriter, names: readonly string[]): void {
    writer.addAll(FAMILIES.repeats, this.#repeats)
    for (const [x, name] of names.entries()) {
      writer.addAll(groupName(FAMILIES.failures, name), this.#failures.get(x) ?? [])
      for (const [w, seconds] of WINDOWS.entries())
        writer.addAll(groupName(FAMILIES.rate, name, seconds), this.#rates.get(x)?.[w] ?? [])
    }
  }
}
