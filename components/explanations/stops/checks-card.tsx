// Results computed now, for checks that were not evaluated, are marked as such and never part of the record.
'use client'

import { parseAsBoolean, useQueryState } from 'nuqs'
import { usePageActions } from '@/components/shell/page-actions.ts'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import { durationText } from '@/components/ui/time.tsx'
import type { StopExplanation, StopRecord } from '@/server/explanations/stop-explanation.ts'
import { CheckTree } from '../check-tree.tsx'
import { notStoredText } from './not-stored.ts'

const MODE = {
  all: 'all must pass · evaluation stops at the first failure',
  any: 'one must pass · evaluation stops at the first success',
} as const

const skipsChecks = ({ stop }: StopExplanation): boolean =>
  stop.bypass === 'deadline' || stop.bypass === 'budget' || stop.bypass === 'ended'

function canReplay({ computed }: StopExplanation): boolean {
  return (computed?.rest?.replayed ?? 0) > 0
}

export function ChecksCard({ explanation }: { readonly explanation: StopExplanation }) {
  const [isAsked, setAsked] = useQueryState('rest', parseAsBoolean.withDefault(false))
  const { computed, record } = explanation
  const root = record?.checks?.checker
  const mode = computed?.rootMode
  const rule = root && mode ? [`${root}: ${MODE[mode]}`] : []
  const isAlways = skipsChecks(explanation)
  const toggle = (): void => void setAsked(isAsked ? null : true)
  const rest = isAlways ? null : (computed?.rest ?? null)
  const refusal = canReplay(explanation) ? undefined : (rest?.obstacle ?? undefined)
  usePageActions(
    rest === null ? [] : [{ name: restName(explanation, isAsked), run: toggle, refusal }],
  )
  return (
    <Card>
      <CardHeader
        title="Checks"
        aside={['as recorded', ...rule].join(' · ')}
        actions={
          isAlways ? null : (
            <RestButton explanation={explanation} isShown={isAsked} onToggle={toggle} />
          )
        }
      />
      <Recorded explanation={explanation} />
      {record?.checks ? <Duration explanation={explanation} record={record} /> : null}
      {isAlways || isAsked ? <Rest explanation={explanation} isAlways={isAlways} /> : null}
    </Card>
  )
}

function restName(explanation: StopExplanation, isShown: boolean): string {
  return canReplay(explanation) && isShown ? 'Show the record only' : 'Evaluate the rest'
}

interface RestButtonProps {
  readonly explanation: StopExplanation
  readonly isShown: boolean
  readonly onToggle: () => void
}

function RestButton({ explanation, isShown, onToggle }: RestButtonProps) {
  const rest = explanation.computed?.rest ?? null
  if (rest === null) return null
  const isAllowed = canReplay(explanation)
  return (
    <ReasonedButton
      className="no-print"
      isAllowed={isAllowed}
      reason={isAllowed ? null : rest.obstacle}
      aria-expanded={isAllowed && isShown}
      onClick={onToggle}
    >
      {restName(explanation, isShown)}
    </ReasonedButton>
  )
}

function Recorded({ explanation }: { readonly explanation: StopExplanation }) {
  const { record, session, config } = explanation
  if (record === null) return <p className="p-3 text-text-2">{notStoredText(explanation)}</p>
  if (record.checks === null) {
    return (
      <p className="p-3 text-text-2">
        No completion checker is configured for this prompt, so nothing was checked.
      </p>
    )
  }
  return (
    <CheckTree
      root={record.checks}
      label="Checks as recorded"
      sessionId={session.id}
      config={config}
    />
  )
}

function Rest({
  explanation,
  isAlways,
}: {
  readonly explanation: StopExplanation
  readonly isAlways: boolean
}) {
  const rest = explanation.computed?.rest ?? null
  if (rest === null) return null
  if (!canReplay(explanation)) {
    return isAlways ? (
      <p className="border-border border-t p-3 text-text-2">
        What the checks would have returned cannot be computed. {rest.obstacle}.
      </p>
    ) : null
  }
  return (
    <section
      aria-label={isAlways ? 'What the checks would have returned' : 'Other checks, computed now'}
      className="border-border border-t"
    >
      {isAlways ? (
        <h3 className="px-3 pt-2 font-medium">What the checks would have returned</h3>
      ) : null}
      <p className="px-3 pt-2 text-small text-text-2">
        Computed now with {versionText(explanation)} over the recorded facts. The record above is
        unchanged.
      </p>
      <CheckTree
        root={rest.root}
        label="Checks computed now"
        sessionId={explanation.session.id}
        config={explanation.config}
      />
    </section>
  )
}

function versionText({ config }: StopExplanation): string {
  return config === null ? 'the same config' : `v${config.number}`
}

function Duration({
  explanation,
  record,
}: {
  readonly explanation: StopExplanation
  readonly record: StopRecord
}) {
  const { evidence } = explanation
  if (evidence === null) return null
  const took = Math.max(0, record.decidedAt - evidence.at)
  return (
    <p className="border-border border-t px-3 py-1.5 text-small text-text-3">
      Decided in {took === 0 ? 'under 1 ms' : durationText(took)}.
    </p>
  )
}
