import { countText, plural, pluralize, shareText } from '@signalbox/core/analysis'
import type { PromptCounts } from '@/server/configs/configs.list.ts'

type Day = Pick<PromptCounts, 'calls' | 'denied' | 'stops' | 'blocked' | 'wouldDeny' | 'wouldBlock'>

/** All, refused, and refused only by rules in shadow mode. */
type Counts = readonly [number, number, number]

type Verbs = Readonly<Record<'would' | 'was', string>>

interface DayWords {
  readonly calls: string
  readonly stops: string
}

/** Shares with the number that they are of. `isLong`: with its noun. */
export function describeDay(day: Day, isLong: boolean): DayWords {
  const { calls, denied, stops, blocked, wouldDeny, wouldBlock } = day
  const describe = (noun: string, [whole, refused, would]: Counts, verbs: Verbs): string => {
    if (refused === 0 && would > 0) return `${countText(would)} would ${verbs.would}`
    if (whole === 0) return `no ${pluralize(noun)}`
    const base = isLong ? plural(whole, noun) : countText(whole)
    return `${shareText(refused, whole)} of ${base} ${verbs.was}`
  }
  return {
    calls: describe('call', [calls, denied, wouldDeny], { would: 'deny', was: 'denied' }),
    stops: describe('stop attempt', [stops, blocked, wouldBlock], {
      would: 'block',
      was: 'blocked',
    }),
  }
}
