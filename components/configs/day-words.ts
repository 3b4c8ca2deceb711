import { countText, plural, shareText } from '@signalbox/core/analysis'
import type { PromptCounts } from '@/server/configs/configs.list.ts'

type Day = Pick<PromptCounts, 'calls' | 'denied' | 'stops' | 'blocked' | 'wouldDeny' | 'wouldBlock'>

interface DayWords {
  readonly calls: string
  readonly stops: string
}

/** Shares with the number that they are of. `isLong`: with its noun. */
export function describeDay(day: Day, isLong: boolean): DayWords {
  const { calls, denied, stops, blocked, wouldDeny, wouldBlock } = day
  const of = (part: number, whole: number, noun: string) =>
    `${shareText(part, whole)} of ${isLong ? plural(whole, noun) : countText(whole)}`
  return {
    calls:
      denied === 0 && wouldDeny > 0
        ? `${countText(wouldDeny)} would deny`
        : calls === 0
          ? 'no calls'
          : `${of(denied, calls, 'call')} denied`,
    stops:
      blocked === 0 && wouldBlock > 0
        ? `${countText(wouldBlock)} would block`
        : stops === 0
          ? 'no stop attempts'
          : `${of(blocked, stops, 'stop attempt')} blocked`,
  }
}
