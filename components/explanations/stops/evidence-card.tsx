// Names the parts that were not captured.

import { countText, plural, shareText } from '@signalbox/core/analysis'
import { Card, CardHeader, type KeyValue, KeyValueList } from '@/components/ui/card.tsx'
import { Link } from '@/components/ui/link.tsx'
import { durationText } from '@/components/ui/time.tsx'
import type { StopEvidence } from '@/server/explanations/stop-evidence.ts'
import type { StopExplanation } from '@/server/explanations/stop-explanation.ts'
import { notCapturedText, notStoredText } from './not-stored.ts'

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
  explanation,
  evidence,
}: {
  readonly explanation: StopExplanation
  readonly evidence: StopEvidence
}) {
  if (evidence.plan === null) return <>no plan</>
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
        <Link
          className="text-link"
          href={`/sessions/${explanation.session.id}?e=${evidence.planSeq}`}
        >
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

function budgetText({ tokensUsed, budget }: StopEvidence): string {
  if (budget.length === 0) return `none set, ${plural(tokensUsed, 'token')} used`
  return budget
    .map(({ dimension, used, limit }) => {
      const state = used >= limit ? ', exhausted' : ''
      return `${shareText(used, limit)} of ${countText(limit)} ${dimension}${state}`
    })
    .join('; ')
}

const EXISTS = { true: 'existed', false: 'did not exist', unknown: 'unknown' } as const

function FilesValue({ files }: { readonly files: NonNullable<StopEvidence['files']> }) {
  if (files.length === 0) return 'not asked for by a check'
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

function openCallsText({ openCalls }: StopEvidence): string {
  if (openCalls.length === 0) return 'none'
  return openCalls.map(({ tool, seq }) => `${tool} since #${seq}`).join(', ')
}

const ANSWER: Readonly<Record<string, string>> = {
  check: 'answered',
  error: 'failed',
  unavailable: 'no one to ask',
  policy: 'answered',
  feedback: 'answered',
}

function answersText({ answers }: StopEvidence): string {
  if (answers.length === 0) return 'none requested'
  return answers.map(({ rule, kind }) => `${rule} ${ANSWER[kind] ?? kind}`).join(', ')
}

/** `needed`: the decision required this part. */
function missingText(explanation: StopExplanation, needed: boolean): string {
  return needed ? notCapturedText(explanation) : 'not needed for this decision'
}

function bypassText({ stop, evidence }: StopExplanation): string {
  if (stop.bypass === null) return 'did not apply'
  if (stop.code === 'stop.would_block') return 'applied: no stop may be blocked here'
  const late = evidence?.deadlineAt ?? null
  if (stop.bypass === 'deadline' && late !== null && evidence !== null) {
    return `applied: the deadline had passed ${durationText(Math.max(0, evidence.at - late))} earlier`
  }
  return `applied: ${stop.bypass.replaceAll('_', ' ')}`
}

function blocksText({ record, computed, evidence }: StopExplanation): string {
  if (record === null) return 'not stored'
  const cap = evidence?.harnessMaxBlocks ?? null
  const blocks = `${countText(record.priorBlocks)}, `
  if (computed === null)
    return `${blocks}${cap === null ? 'limit unknown' : `the harness allows ${countText(cap)}`}`
  return `${blocks}limit ${countText(computed.maxBlocks)}${computed.maxBlocks === cap ? ', set by the harness' : ''}`
}

const code = (text: string) => <code className="break-words font-mono text-mono">{text}</code>

function listEvidenceItems(
  explanation: StopExplanation,
  evidence: StopEvidence,
): readonly KeyValue[] {
  const { stopReason, lastMessage, output, files } = evidence
  return [
    { name: 'Plan snapshot', value: <PlanValue explanation={explanation} evidence={evidence} /> },
    {
      name: 'Output',
      value: output === null ? 'none' : <OutputValue output={output} />,
    },
    {
      name: 'Stop reason',
      value: stopReason === null ? notCapturedText(explanation) : code(stopReason),
    },
    {
      name: 'Last message',
      value: lastMessage === null ? notCapturedText(explanation) : <LongText text={lastMessage} />,
    },
    {
      name: 'Files checked',
      value:
        files === null ? (
          missingText(explanation, explanation.record?.needsFiles ?? false)
        ) : (
          <FilesValue files={files} />
        ),
    },
    { name: 'Answers', value: answersText(evidence) },
    { name: 'Calls running', value: openCallsText(evidence) },
    { name: 'Deadline', value: deadlineText(evidence) },
    { name: 'Token budget', value: budgetText(evidence) },
    { name: 'Bypass', value: bypassText(explanation) },
    { name: 'Blocked before', value: blocksText(explanation) },
    { name: 'Redacted', value: redactedText(explanation) },
  ]
}

function redactedText({ record }: StopExplanation): string {
  const marks = record?.redactions ?? []
  if (marks.length === 0) return 'nothing'
  return marks.map(({ pointer, kind }) => `${pointer} ${kind}`).join(', ')
}

function LongText({ text }: { readonly text: string }) {
  if (text.length <= 120) return <>{text}</>
  return (
    <details>
      <summary className="cursor-pointer">{text.slice(0, 100)}…</summary>
      <p className="mt-1 whitespace-pre-wrap break-words text-small text-text-2">{text}</p>
    </details>
  )
}

export function EvidenceCard({ explanation }: { readonly explanation: StopExplanation }) {
  return (
    <Card>
      <CardHeader title="Evidence" aside="as captured, read-only" />
      {explanation.evidence === null ? (
        <p className="p-3 text-text-2">
          {explanation.record === null
            ? notStoredText(explanation)
            : `The attempt itself was ${notCapturedText(explanation)}.`}
        </p>
      ) : (
        <KeyValueList
          className="p-3"
          items={listEvidenceItems(explanation, explanation.evidence)}
        />
      )}
    </Card>
  )
}
