import { PROVIDER_WORDS } from '@signalbox/core/analysis'
import { sumCounts } from '@/components/kit/chart/plot.ts'
import type { Chart } from '@/server/analytics/charts.ts'

/** By display name, the only name in a count. Only built-in providers are counted, so a display name identifies one. */
const ACTS: ReadonlyMap<string, string> = new Map(
  Object.values(PROVIDER_WORDS).map(({ displayName, act }) => [displayName, act?.text ?? '']),
)

export interface Advice {
  readonly provider: string
  readonly name: string
  readonly act: string
  readonly delivered: number
  readonly followed: number
  readonly notFollowed: number
  /** The session ended before the outcome was known. */
  readonly ended: number
  /** Number of deliveries without an outcome yet. */
  readonly open: number
}

/** In display order. */
export const ADVICE_COUNTS = ['delivered', 'followed', 'notFollowed', 'ended', 'open'] as const

export type AdviceCount = (typeof ADVICE_COUNTS)[number]

export function groupAdvice({ rows }: Pick<Chart, 'rows'>): readonly Advice[] {
  const keys = [...new Set(rows.map(({ names: [provider, name] }) => `${provider}\n${name}`))]
  return keys
    .map((key) => {
      const [provider = '', name = ''] = key.split('\n')
      const of = (outcome: string): number =>
        rows
          .filter(({ names }) => names[0] === provider && names[1] === name && names[2] === outcome)
          .reduce((sum, { counts }) => sum + sumCounts(counts), 0)
      const [delivered, followed] = [of('expected'), of('followed')]
      const [notFollowed, ended] = [of('not_followed'), of('ended')]
      const open = Math.max(0, delivered - followed - notFollowed - ended)
      return {
        provider,
        name,
        act: ACTS.get(name) ?? '',
        delivered,
        followed,
        notFollowed,
        ended,
        open,
      }
    })
    .sort((a, b) => b.delivered - a.delivered)
}
