'use client'

import { countText, plural, shareText } from '@signalbox/core/analysis'
import { Download, GitCompareArrows, Link2, Printer } from 'lucide-react'
import { Fragment, type ReactNode } from 'react'
import { EnforcementBadge } from '@/components/enforcement/enforcement-badge.tsx'
import { harnessText } from '@/components/enforcement/harness-text.ts'
import { VerificationBadge } from '@/components/enforcement/verification-badge.tsx'
import { ExportMenu } from '@/components/explanations/export-menu.tsx'
import { SessionProgress } from '@/components/explanations/stop-progress.tsx'
import { LabelControl } from '@/components/labels/lazy-label-control.ts'
import { MarkButton } from '@/components/labels/mark-button.tsx'
import { configPath } from '@/components/paths/config-path.ts'
import { LostServer } from '@/components/shell/lost-server.tsx'
import { Button, LinkButton } from '@/components/ui/button.tsx'
import { IdChip, shortId } from '@/components/ui/copy.tsx'
import { DemoTag } from '@/components/ui/demo-tag.tsx'
import { Kbd } from '@/components/ui/kbd.tsx'
import { Link } from '@/components/ui/link.tsx'
import { StatusBadge } from '@/components/ui/status-badge.tsx'
import { durationText, Timestamp, useNow } from '@/components/ui/time.tsx'
import type { SessionHead } from '@/server/sessions/session-head.sql.ts'
import { describeEnd } from '../activity.ts'

const STATUS = { running: 'Running', ended: 'Ended', lost: 'Lost' } as const

export function SessionStatusBadge({ status }: Pick<SessionHead, 'status'>) {
  return <StatusBadge status={status}>{STATUS[status]}</StatusBadge>
}

function DeadlineText({
  head,
}: {
  readonly head: Pick<SessionHead, 'deadlineAt' | 'endedAt' | 'status'>
}) {
  const now = useNow()
  if (head.deadlineAt === null) return null
  const at = head.endedAt ?? (head.status === 'lost' ? null : now)
  if (at === null)
    return (
      <>
        deadline <Timestamp at={head.deadlineAt} style="second" />
      </>
    )
  const left = head.deadlineAt - at
  if (head.endedAt !== null) {
    return `${durationText(Math.abs(left))} ${left >= 0 ? 'before the deadline' : 'overdue'}`
  }
  return (
    <>
      {left >= 0 ? 'deadline in ' : 'deadline overdue '}
      <b className="font-semibold text-text tabular-nums">
        {durationText(Math.max(1000, Math.abs(left)))}
      </b>
    </>
  )
}

function stopsText({ stopAttempts, stopsBlocked }: SessionHead): string | null {
  if (stopAttempts === 0) return null
  return stopsBlocked === 0
    ? plural(stopAttempts, 'stop')
    : `${plural(stopsBlocked, 'stop')} blocked`
}

function tokensText({ tokensUsed, tokenLimit }: SessionHead): string | null {
  if (tokenLimit !== null) {
    return `tokens ${shareText(tokensUsed, tokenLimit)} of ${countText(tokenLimit)}`
  }
  return tokensUsed > 0 ? `tokens ${countText(tokensUsed)}` : null
}

function Facts({ head, wouldDeny }: Required<Pick<SessionHeaderProps, 'head' | 'wouldDeny'>>) {
  const { planDone, planTotal, waitingCall } = head
  const facts: Readonly<Record<string, ReactNode>> = {
    waiting: waitingCall && (
      <Link className="text-link" href={`/call-approvals?call=${waitingCall.approvalId}`}>
        a call of {waitingCall.tool} waits for approval
      </Link>
    ),
    config: <ConfigFact head={head} />,
    taken: head.taken && <TakenFact head={head} />,
    environment: head.environment,
    runtime: runtimeText(head),
    harness: head.harness.name && harnessText(head.harness),
    started: <StartedFact at={head.startedAt} />,
    ended: endedText(head),
    deadline: head.deadlineAt && <DeadlineText head={head} />,
    tokens: tokensText(head),
    plan: planTotal !== null && `plan ${planDone ?? 0}/${planTotal}`,
    denied: `${countText(head.denied)} denied`,
    shadow: wouldDeny > 0 && `${countText(wouldDeny)} would be denied`,
    stops: stopsText(head),
  }
  const shown = Object.entries(facts).filter(([, content]) => content)
  return (
    <p className="text-small text-text-2 leading-5">
      {shown.map(([name, content], index) => (
        <Fragment key={name}>
          {/* A line breaks between facts, not within one. */}
          <span className="inline-block max-w-full">
            {content}
            {index < shown.length - 1 ? ' ·' : ''}
          </span>{' '}
        </Fragment>
      ))}
      {head.stopsBlocked === 0 ? null : <SessionProgress stopId={head.lastStopId} />}
    </p>
  )
}

function runtimeText({ runtimeId, runtimeName }: SessionHead): string | null {
  return runtimeId === null ? null : `runtime ${runtimeName ?? shortId(runtimeId)}`
}

function endedText(head: SessionHead): string | null {
  const { endedAt, startedAt } = head
  return endedAt === null ? null : `${describeEnd(head)} after ${durationText(endedAt - startedAt)}`
}

function StartedFact({ at }: { readonly at: number }) {
  return (
    <>
      started <Timestamp at={at} style="second" />
    </>
  )
}

function TakenFact({ head }: { readonly head: SessionHead }) {
  const { id, taken, shortfalls } = head
  if (taken === null) return null
  const { version, digest, seq } = taken
  const has = (breach: string) =>
    shortfalls.some(({ code, seq: at }) => code === `breach.${breach}` && at === seq)
  const word = has('loosened') ? 'loosened' : has('maybe_loosened') ? 'moved' : 'tightened'
  const named = version === null ? digest.slice(7, 11) : `v${version}`
  return (
    <>
      {word} to {named} at{' '}
      <Link className="text-link" href={`/sessions/${id}?e=${seq}`}>
        #{seq}
      </Link>
    </>
  )
}

function ConfigFact({ head }: { readonly head: SessionHead }) {
  const { configVersion, liveVersion, taken } = head
  const now = taken === null ? configVersion : taken.version
  const isOld = liveVersion !== null && now !== null && liveVersion !== now
  return (
    <>
      Config{' '}
      <Link className="font-mono text-link text-mono" href={configPath(head.ns, head.key)}>
        {head.ns}/{head.key}
        {configVersion === null ? '' : `@v${configVersion}`}
      </Link>
      {configVersion === null ? ', version not recorded' : ''}
      {isOld ? `, v${liveVersion} is live` : ''}
    </>
  )
}

const FILES = [
  ['Report as Markdown', '?format=md'],
  ['Events as JSONL, for replay', ''],
  ['Events as CSV', '?format=csv'],
  ['Annotations as JSONL', '?format=annotations'],
] as const

function SessionExport({ sessionId }: { readonly sessionId: string }) {
  return (
    <ExportMenu
      label="Export the session"
      items={[
        {
          name: 'Report, to print or save as PDF',
          icon: <Printer aria-hidden size={14} />,
          href: `/sessions/${sessionId}/report`,
        },
        ...FILES.map(([name, query]) => ({
          name,
          icon: <Download aria-hidden size={14} />,
          isFile: true,
          href: `/api/export/sessions/${sessionId}${query}`,
        })),
      ]}
    />
  )
}

export interface SessionHeaderProps {
  readonly head: SessionHead
  /** Allowed calls that shadow rules would have denied. Absent: unknown. */
  readonly wouldDeny?: number
  /** Marks the session as bad. Absent: it cannot be marked here. */
  readonly onMark?: () => void
  readonly onCopyLink: () => void
}

export function SessionHeader({ head, wouldDeny = 0, onMark, onCopyLink }: SessionHeaderProps) {
  return (
    <>
      <header className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 border-border border-b bg-surface px-4 py-2.5">
        <div className="min-w-0 flex-1 basis-80">
          <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
            <h1 className="font-semibold text-h1">
              {head.ns}/{head.key}
            </h1>
            <DemoTag session={head.id} />
            <SessionStatusBadge status={head.status} />
            {/* A phone offers the address and the export for this. */}
            <span className="max-sm:hidden">
              <IdChip id={head.id} label="Copy session id" />
            </span>
            <VerificationBadge facts={head} />
            <EnforcementBadge facts={head} />
            {head.isLabeled ? (
              <LabelControl sessionId={head.id} seq={0} canPrevent={false} hasKey={false} />
            ) : onMark === undefined ? null : (
              <MarkButton seq={0} hasKey onMark={onMark} />
            )}
          </div>
          <Facts head={head} wouldDeny={wouldDeny} />
        </div>
        <div className="no-print flex gap-2">
          <Button onClick={onCopyLink}>
            <Link2 aria-hidden size={16} />
            Copy link <Kbd>c</Kbd>
          </Button>
          <LinkButton href={`/sessions/compare?a=${head.id}`}>
            <GitCompareArrows aria-hidden size={16} />
            Compare
          </LinkButton>
          <SessionExport sessionId={head.id} />
        </div>
      </header>
      <LostServer />
    </>
  )
}
