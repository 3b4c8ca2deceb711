// A tool that changes nothing makes nothing outdated, and an order before a mere look guards nothing.
import { FAMILIES, findGroup, type LearnCounts } from './counts.ts'

export type Effect = 'reads' | 'writes' | 'unknown'

const FEWEST_LOOKS = 20
const READERS_CHANGE = 0.01
const WRITERS_CHANGE = 0.5

/** Words in the names of tools that look at a file. */
const LOOKS =
  /(^|[_.-])(read|view|cat|open|list|ls|dir|search|grep|find|glob|get|show|head|tail|stat)([_.-]|$)/

/** True: the tool takes paths, and its name says that it looks. */
export function seemsToLook(samples: readonly LearnCounts[], tool: string): boolean {
  return LOOKS.test(tool) && samples.some((one) => findGroup(one, FAMILIES.pathTools).has(tool))
}

/** How a tool treats the files that it is called on, by their content before and after; where that is not recorded, by its name. */
export function effectFinder(samples: readonly LearnCounts[]): (tool: string) => Effect {
  const total = (family: 'looked' | 'changed', tool: string): number =>
    samples.reduce((sum, sample) => sum + (findGroup(sample, family).get(tool) ?? 0), 0)
  const find = (tool: string): Effect => {
    const looks = total(FAMILIES.looked, tool)
    if (looks < FEWEST_LOOKS) return seemsToLook(samples, tool) ? 'reads' : 'unknown'
    const share = total(FAMILIES.changed, tool) / looks
    if (share < READERS_CHANGE) return 'reads'
    return share > WRITERS_CHANGE ? 'writes' : 'unknown'
  }
  const known = new Map<string, Effect>()
  return (tool) => {
    const effect = known.get(tool) ?? find(tool)
    known.set(tool, effect)
    return effect
  }
}
