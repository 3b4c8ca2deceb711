'use client'

import type { PlanStep } from '@signalbox/core'
import { useMemo } from 'react'
import type { IndexEntry } from '@/server/sessions/log/event-index.sql.ts'
import { eventFacts } from './event-facts.ts'
import type { PayloadCache } from './payload-cache.ts'
import { planBefore } from './plan-before.ts'
import { PlanChanges } from './plan-change-list.tsx'
import { describeDone } from './plan-changes.ts'
import { usePayloads } from './use-payloads.ts'

const toPlanUpdate = (steps: readonly PlanStep[]) => ({
  steps: steps.map(({ title, status }) => ({ title, status: status ?? null })),
})

export interface PlanSource {
  readonly entries: readonly IndexEntry[]
  readonly payloads: PayloadCache
}

export function PlanFact({
  seq,
  steps,
  source: { entries, payloads },
}: {
  readonly seq: number
  readonly steps: readonly PlanStep[]
  readonly source: PlanSource
}) {
  const place = useMemo(() => planBefore(entries, seq), [entries, seq])
  const wanted = place.kind === 'at' ? [place.seq] : []
  const [before] = usePayloads(payloads, wanted).events
  const plan = before === undefined ? null : findPlanSteps(before)
  const after = toPlanUpdate(steps)
  return (
    <>
      {place.kind === 'none' || plan !== null ? (
        <PlanChanges before={plan === null ? null : toPlanUpdate(plan)} after={after} />
      ) : (
        <p className="text-text-2">The previous plan is not loaded.</p>
      )}
      <details open={place.kind === 'unknown'}>
        <summary className="min-h-6 cursor-pointer text-text-2">
          The whole plan, {describeDone(after)}
        </summary>
        <ol className="list-inside list-decimal">
          {steps.map(({ title, status }, index) => {
            const key = `${index} ${title}`
            return (
              <li key={key} className="break-words">
                {title} <span className="text-small text-text-2">{statusText(status)}</span>
              </li>
            )
          })}
        </ol>
      </details>
    </>
  )
}

function statusText(status: string | undefined): string {
  return status?.replaceAll('_', ' ') ?? 'no status'
}

function findPlanSteps(event: { readonly type: string; readonly data: string }) {
  const plan = eventFacts(event)?.find(({ value }) => value.kind === 'plan')?.value
  return plan?.kind === 'plan' ? plan.steps : null
}
