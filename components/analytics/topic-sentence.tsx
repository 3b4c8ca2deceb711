'use client'

import { omitUndefined } from '@signalbox/core'
import { useQuery } from '@tanstack/react-query'
import { parseRange } from '@/components/kit/list/range.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import type { PromptName } from '@/server/platform/list/define-list.ts'
import { periodText, summarize } from './summary-words.ts'
import type { Topic } from './topics.ts'
import { AGAIN_MS, useHourEnd } from './use-analytics-view.ts'

/** Sentence of Analytics above a list of the same objects, so that both state the same figures. */
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
  const { data } = useQuery({
    ...trpc.analytics.summary.queryOptions({ topic, filter }),
    refetchInterval: AGAIN_MS,
    placeholderData: (before) => before,
  })
  return data === undefined ? '\u00a0' : summarize(topic, data, periodText(until - from))
}
