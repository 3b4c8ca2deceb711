// What the runtime captured when the agent tried to stop. Read-only, and honest about what was not captured.
import Link from 'next/link'
import { countText, shareText } from '@/components/session/clock.ts'
import { Card, CardHeader, type KeyValue, KeyValueList } from '@/components/ui/card.tsx'
import { durationText } from '@/components/ui/time.tsx'
import type { StopAudit, StopEvidence } from '@/server/services/audit/stop-audit.ts'

function planText(plan: NonNullable<StopEvidence['plan']>): string {
  const done = plan.filter(({ status }) => status === 'done').length
  const started = plan.filter(({ status }) => status === 'in_progress').length
  const open = plan.length - done - started
  return [
    `${done} done`,
    started > 0 ? `${started} in progress` : '',
    open > 0 ? `${open} to do` : '',
  ]
    .filter(Boolean)
    .join(', ')
}

function PlanValue({
  audit,
  evidence,
}: {
  readonly audit: StopAudit
  readonly evidence: StopEvidence
}) {
  if (evidence.plan === null) return <>no plan existed</>
  return (
    <details>
      <summary className="cursor-pointer">{planText(evidence.plan)}</summary>
      <ol className="mt-1 list-inside list-decimal text-small text-text-2">
        {evidence.plan.map(({ number, title, status }) => (
          <li key={number}>
            {title} · {status?.replaceAll('_', ' ') ?? 'no status'}
          </li>
        ))}
      </ol>
      {evidence.planSeq === null ? null : (
        <Link className="text-link" href={`/sessions/${audit.session.id}?e=${evidence.planSeq}`}>
          open at #{evidence.planSeq}
        </Link>
      )}
    </details>
  )
}

function OutputValue({ output }: { readonly output: string }) {
  const bytes = new TextEncoder().encode(output).length
  return (
    <details>
      <summary className="cursor-pointer">
        {bytes < 1000 ? `${bytes} B` : `${(bytes / 1000).toFixed(1)} kB`}{' '}
        <span className="text-link">view</span>
      </summary>
      <pre className="mt-1 whitespace-pre-wrap break-words rounded-control bg-surface-2 p-2 font-mono text-mono">
        {output}
      </pre>
    </details>
  )
}

function deadlineText({ deadlineAt, at }: StopEvidence): string {
  if (deadlineAt === null) return 'none set'
  const left = deadlineAt - at
  return left > 0
    ? `not reached, ${durationText(left)} left`
    : `passed ${durationText(-left)} earlier`
}

function budgetText({ tokensUsed, tokenLimit }: StopEvidence): string {
  if (tokenLimit === null) return `none set, ${countText(tokensUsed)} tokens used`
  const share = shareText(tokensUsed, tokenLimit)
  return `${share}, ${tokensUsed >= tokenLimit ? 'exhausted' : 'not exhausted'}`
}

const EXISTS = { true: 'existed', false: 'did not exist', unknown: 'unknown' } as const

function filesValue(files: StopEvidence['files']) {
  if (files.length === 0) return 'none were needed'
  return (
    <ul>
      {files.map(({ path, exists }) => (
        <li key={path}>
          <code className="break-words font-mono text-mono">{path}</code> {EXISTS[`${exists}`]}
        </li>
      ))}
    </ul>
  )
}

function itemsOf(audit: StopAudit, evidence: StopEvidence): readonly KeyValue[] {
  const { stop } = audit
  return [
    { name: 'Plan snapshot', value: <PlanValue audit={audit} evidence={evidence} /> },
    {
      name: 'Output offered',
      value: evidence.output === null ? 'none' : <OutputValue output={evidence.output} />,
    },
    {
      name: 'Stop reason',
      value:
        evidence.stopReason === null ? (
          'not captured'
        ) : (
          <code className="font-mono text-mono">{evidence.stopReason}</code>
        ),
    },
    { name: 'Files checked', value: filesValue(evidence.files) },
    { name: 'Deadline', value: deadlineText(evidence) },
    { name: 'Token budget', value: budgetText(evidence) },
    {
      name: 'Bypass',
      value:
        stop.bypass === null ? 'did not apply' : `applied: ${stop.bypass.replaceAll('_', ' ')}`,
    },
  ]
}

export function EvidenceCard({ audit }: { readonly audit: StopAudit }) {
  return (
    <Card>
      <CardHeader title="Evidence" aside="as captured, read-only" />
      {audit.evidence === null ? (
        <p className="p-3 text-text-2">Not captured: the attempt itself is not in the record.</p>
      ) : (
        <KeyValueList className="p-3" items={itemsOf(audit, audit.evidence)} />
      )}
    </Card>
  )
}
