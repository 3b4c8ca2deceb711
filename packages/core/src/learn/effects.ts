// A tool that changes nothing makes nothing outdated, and an order before a mere look guards nothing.
import { FAMILIES, findGroup, type LearnCounts } from './counts.ts'

export type Effect = 'reads' | 'writes' | 'unknown'

const FEWEST_LOOKS = 20
const READERS_CHANGE = 0.01
const WRITERS_CHANGE = 0.5

/** How a tool treats the files that it is called on, by their content before and after. */
export function effectFinder(samples: readonly LearnCounts[]): (tool: string) => Effect {
  const total = (family: 'looked' | 'changed', tool: string): number =>
    samples.reduce((sum, sample) => sum + (findGroup(sample, family).get(tool) ?? 0), 0)
  return (tool) => {
    const looks = total(FAMILIES.looked, tool)
    if (looks < FEWEST_LOOKS) return 'unknown'
    const share = total(FAMILIES.changed, tool) / looks
    if (share < READERS_CHANGE) return 'reads'
    return share > WRITERS_CHANGE ? 'writes' : 'unknown'
  }
}
