'use client'

import { omitUndefined } from '@signalbox/core'
import { useQuery } from '@tanstack/react-query'
import { DAY_MS, parseRange } from '@/components/kit/list/range.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import type { PromptName } from '@/server/platform/list/define-list.ts'
import { periodText, summarize } from './summary-words.ts'
import type { Topic } from './topics.ts'
import { AGAIN_MS, useHourEnd } from './use-analytics-view.ts'

/**
 * Sentence of Analytics above a list of the same objects, so that both state the same figures. They count whole hours up to the next full one,
 * which is another period than that of a list of a few hours.
 */
export function TopicSentence({
  topic,
  range,
  filter: { environment, prompt },
}: {
  readonly topic: Topic
  /** Null: all time. */
  readonly range: string | null
  readonly filter: {
    readonly environment?: string | undefined
    readonly prompt?: PromptName | undefined
  }
}) {
  const trpc = useTRPC()
  const end = useHourEnd()
  const { since: from = 0, until = end } = parseRange(range ?? '', end) ?? {}
  const filter = { ...omitUndefined({ environment, prompt }), from, until }
  const isCounted = until - from >= DAY_MS
  const { data, isError } = useQuery({
    ...trpc.analytics.summary.queryOptions({ topic, filter }),
    enabled: isCounted,
    refetchInterval: AGAIN_MS,
  })
  if (!isCounted) return 'Counts are shown for ranges of one day or more.'
  if (data !== undefined) return summarize(topic, data, periodText(until - from))
  return isError ? 'The counts could not be loaded.' : '\u00a0'
}
