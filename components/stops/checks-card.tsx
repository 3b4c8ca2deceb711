// The checks of a stop as evaluated, and on request what the untouched ones would have said: computed now from the recorded
// facts, marked as such, never part of the record. Of a stop that skipped its checks that is the first question, so it stands there.
'use client'

import { parseAsBoolean, useQueryState } from 'nuqs'
import { CheckTree } from '@/components/audit/check-tree.tsx'
import { usePageActions } from '@/components/shell/page-actions.ts'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import { durationText } from '@/components/ui/time.tsx'
import type { StopAudit, StopRecord } from '@/server/services/audit/stop-audit.ts'
import { notStoredText } from './not-stored.ts'

const MODE = {
  all: 'all must pass · evaluation stops at the first failure',
  any: 'one must pass · evaluation stops at the first success',
} as const

const skipsChecks = ({ stop }: StopAudit): boolean =>
  stop.bypass === 'deadline' || stop.bypass === 'budget'

function canReplay({ computed }: StopAudit): boolean {
  return (computed?.rest?.replayed ?? 0) > 0
}

export function ChecksCard({ audit }: { readonly audit: StopAudit }) {
  const [isAsked, setAsked] = useQueryState('rest', parseAsBoolean.withDefault(false))
  const { computed, record } = audit
  const mode = computed?.rootMode ?? null
  const isAlways = skipsChecks(audit)
  const toggle = (): void => void setAsked(isAsked ? null : true)
  const rest = isAlways ? null : (computed?.rest ?? null)
  const refusal = canReplay(audit) ? undefined : (rest?.obstacle ?? undefined)
  usePageActions(rest === null ? [] : [{ name: restName(audit, isAsked), run: toggle, refusal }])
  return (
    <Card>
      <CardHeader
        title="Checks"
        aside={['as recorded', ...(mode === null ? [] : [MODE[mode]])].join(' · ')}
        actions={isAlways ? null : <RestButton audit={audit} isShown={isAsked} onToggle={toggle} />}
      />
      <Recorded audit={audit} />
      {record?.checks ? <Durations audit={audit} record={record} /> : null}
      {isAlways || isAsked ? <Rest audit={audit} isAlways={isAlways} /> : null}
    </Card>
  )
}

function restName(audit: StopAudit, isShown: boolean): string {
  return canReplay(audit) && isShown ? 'Show the record only' : 'Evaluate the rest'
}

interface RestButtonProps {
  readonly audit: StopAudit
  readonly isShown: boolean
  readonly onToggle: () => void
}

function RestButton({ audit, isShown, onToggle }: RestButtonProps) {
  const rest = audit.computed?.rest ?? null
  if (rest === null) return null
  const isAllowed = canReplay(audit)
  return (
    <ReasonedButton
      className="no-print"
      isAllowed={isAllowed}
      reason={isAllowed ? null : rest.obstacle}
      aria-expanded={isAllowed && isShown}
      onClick={onToggle}
    >
      {restName(audit, isShown)}
    </ReasonedButton>
  )
}

function Recorded({ audit }: { readonly audit: StopAudit }) {
  const { record, session, config } = audit
  if (record === null) return <p className="p-3 text-text-2">{notStoredText(audit)}</p>
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

function Rest({ audit, isAlways }: { readonly audit: StopAudit; readonly isAlways: boolean }) {
  const rest = audit.computed?.rest ?? null
  if (rest === null) return null
  if (!canReplay(audit)) {
    return isAlways ? (
      <p className="border-border border-t p-3 text-text-2">
        What the checks would have said cannot be computed. {rest.obstacle}.
      </p>
    ) : null
  }
  return (
    <section
      aria-label={isAlways ? 'What the checks would have said' : 'The rest, computed now'}
      className="border-border border-t"
    >
      {isAlways ? <h3 className="px-3 pt-2 font-medium">What the checks would have said</h3> : null}
      <p className="px-3 pt-2 text-small text-text-2">
        Computed now with {versionText(audit)} over the recorded facts. The record above is
        unchanged.
      </p>
      <CheckTree
        root={rest.root}
        label="Checks computed now"
        sessionId={audit.session.id}
        config={audit.config}
      />
    </section>
  )
}

function versionText({ config }: StopAudit): string {
  return config === null ? 'the same config' : `v${config.number}`
}

function Durations({ audit, record }: { readonly audit: StopAudit; readonly record: StopRecord }) {
  const { evidence, sdk } = audit
  const took = evidence === null ? null : Math.max(0, record.decidedAt - evidence.at)
  const runtime = sdk === null ? 'the runtime' : `runtime ${sdk}`
  return (
    <p className="border-border border-t px-3 py-1.5 text-small text-text-3">
      {took === null ? '' : `Decided in ${took === 0 ? 'under 1 ms' : durationText(took)}. `}
      Durations of single checks: not captured by {runtime}.
    </p>
  )
}
