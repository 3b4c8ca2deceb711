// A step requested while a page is loading waits for that page, because only that page knows its neighbors. Pure except for the queue.

/** `older`: key `j`; `newer`: key `k`. */
export type Direction = 'older' | 'newer'

export interface StepPlace {
  readonly path: string
  /** Path of the neighbor; null: none. */
  readonly buildPath: (direction: Direction) => string | null
}

export interface ExplanationSteps {
  readonly step: (from: StepPlace, direction: Direction) => void
  readonly arrive: (at: StepPlace) => void
  /** Drops the waiting steps if they wait for another page than `to`. */
  readonly leave: (to: string) => void
}

export function createExplanationSteps(): (go: (path: string) => void) => ExplanationSteps {
  let ahead: { readonly to: string; readonly waiting: readonly Direction[] } | null = null
  return (go) => {
    const lead = (from: StepPlace, direction: Direction, waiting: readonly Direction[]): void => {
      const to = from.buildPath(direction)
      ahead = to === null ? null : { to, waiting }
      if (to !== null) go(to)
    }
    return {
      step: (from, direction) => {
        if (ahead === null) lead(from, direction, [])
        else ahead = { to: ahead.to, waiting: [...ahead.waiting, direction] }
      },
      arrive: (at) => {
        const [next, ...later] = ahead?.to === at.path ? ahead.waiting : []
        ahead = null
        if (next !== undefined) lead(at, next, later)
      },
      leave: (to) => {
        if (ahead?.to !== to) ahead = null
      },
    }
  }
}
