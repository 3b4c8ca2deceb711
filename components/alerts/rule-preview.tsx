'use client'

import { timesText } from '@signalbox/core/analysis'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import { ConditionInput, findThresholdProblem } from '@/server/alerts/alert-input.ts'
import type { Preview } from '@/server/alerts/rules.ts'
import { type Draft, toConditions } from './rule-draft.ts'
import { valueText } from './signal-words.ts'

/** Null: the conditions are invalid. */
function parseConditions(draft: Draft) {
  const conditions = toConditions(draft)
  const isValid = ConditionInput.safeParse(conditions).success
  return isValid && findThresholdProblem(conditions) === null ? conditions : null
}

export function RulePreview({ draft }: { readonly draft: Draft }) {
  const trpc = useTRPC()
  const conditions = parseConditions(useDeferredValue(draft))
  const query = useQuery({
    ...trpc.alerts.preview.queryOptions(conditions ?? toConditions(draft)),
    enabled: conditions !== null,
    placeholderData: keepPreviousData,
  })
  return (
    <section
      aria-label="Preview"
      className="flex flex-col gap-1 rounded-control border border-border bg-surface-2 p-3"
    >
      <p role="status" className="font-medium">
        {conditions === null
          ? 'The preview needs valid numbers.'
          : query.error !== null
            ? `The preview failed: ${query.error.message}`
            : query.data === undefined
              ? 'Checking the last 7 days…'
              : sentence(query.data)}
      </p>
      {conditions === null || query.data === undefined ? null : (
        <Times preview={query.data} draft={draft} />
      )}
    </section>
  )
}

function sentence({ fired, isCut }: Preview): string {
  if (fired === null) return 'No history for this signal.'
  const least = isCut ? ' at least' : ''
  return fired === 0
    ? 'Would not have fired in the last 7 days.'
    : `Would have fired${least} ${timesText(fired)} in the last 7 days.`
}

const MOST = 5

function Times({
  preview: { times },
  draft,
}: {
  readonly preview: Preview
  readonly draft: Draft
}) {
  if (times.length === 0) return null
  return (
    <ul className="text-small text-text-2">
      {times.slice(0, MOST).map(({ scope, from, peak }) => (
        <li key={`${scope} ${from}`} className="flex flex-wrap gap-x-3">
          <Timestamp at={from} style="second" />
          <span>{scope}</span>
          <span className="tabular-nums">up to {valueText(draft.signal, peak)}</span>
        </li>
      ))}
      {times.length > MOST ? <li>and earlier ones</li> : null}
    </ul>
  )
}
