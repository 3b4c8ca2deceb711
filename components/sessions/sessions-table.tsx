// Sessions as rows: who, how it stands, what the guardrails did. Below 640 px each session is two lines.
'use client'

import Link from 'next/link'
import { EnforcementBadge } from '@/components/enforcement/enforcement-badge.tsx'
import { countText, shareText } from '@/components/session/clock.ts'
import { SessionStatusText } from '@/components/session/session-header.tsx'
import { useMedia } from '@/components/session/use-width.ts'
import { type Status, StatusIcon, StatusText } from '@/components/ui/status-badge.tsx'
import { Cell, HeadCell, Row, Table } from '@/components/ui/table.tsx'
import { Ago, durationText, Timestamp, useNow } from '@/components/ui/time.tsx'
import type { SessionFacts } from '@/server/read-models/session-columns.ts'

interface RowProps {
  readonly session: SessionFacts
}

export function SessionsTable({ sessions }: { readonly sessions: readonly SessionFacts[] }) {
  const isNarrow = useMedia('(max-width: 639px)')
  if (isNarrow) {
    return (
      <ul>
        {sessions.map((session) => (
          <NarrowRow key={session.id} session={session} />
        ))}
      </ul>
    )
  }
  return (
    <Table>
      <thead>
        <tr>
          <HeadCell>Status</HeadCell>
          <HeadCell>Prompt</HeadCell>
          <HeadCell>Config</HeadCell>
          <HeadCell>Runs in</HeadCell>
          <HeadCell>Started</HeadCell>
          <HeadCell>Left</HeadCell>
          <HeadCell className="text-right">Tokens</HeadCell>
          <HeadCell className="text-right">Plan</HeadCell>
          <HeadCell className="text-right">Denied</HeadCell>
          <HeadCell className="text-right">Warnings</HeadCell>
          <HeadCell>Last stop</HeadCell>
          <HeadCell>Last event</HeadCell>
        </tr>
      </thead>
      <tbody>
        {sessions.map((session) => (
          <WideRow key={session.id} session={session} />
        ))}
      </tbody>
    </Table>
  )
}

function WideRow({ session }: RowProps) {
  return (
    <Row>
      <Cell>
        <SessionStatusText status={session.status} />
      </Cell>
      <Cell className="max-w-none">
        <span className="inline-flex items-center gap-2">
          <Link className="font-medium text-link" href={`/sessions/${session.id}`}>
            {session.ns}/{session.key}
          </Link>
          <EnforcementBadge facts={session} isBrief />
        </span>
      </Cell>
      <Cell>
        <ConfigText session={session} />
      </Cell>
      <Cell className="max-w-36" title={originText(session)}>
        {session.harness.name ?? session.runtimeName ?? '–'}
      </Cell>
      <Cell>
        <Ago at={session.startedAt} />
      </Cell>
      <Cell>
        <Left session={session} />
      </Cell>
      <Cell className="text-right tabular-nums">{tokensText(session)}</Cell>
      <Cell className="text-right tabular-nums">{planText(session)}</Cell>
      <Cell className="text-right tabular-nums">
        <Count value={session.denied} className="text-deny-fg" />
      </Cell>
      <Cell className="text-right tabular-nums">
        <Count value={session.warnings} className="text-warning-fg" />
      </Cell>
      <Cell>
        <LastStop session={session} />
      </Cell>
      <Cell className="max-w-64 text-text-2" title={session.lastEventText ?? undefined}>
        <LastEvent session={session} />
      </Cell>
    </Row>
  )
}

function NarrowRow({ session }: RowProps) {
  const facts = [
    session.harness.name ?? '',
    planText(session) === '–' ? '' : `plan ${planText(session)}`,
    session.denied > 0 ? `denied ${session.denied}` : '',
    session.stopsBlocked > 0 ? `stops blocked ${session.stopsBlocked}` : '',
  ].filter(Boolean)
  return (
    <li className="flex min-h-14 flex-col justify-center gap-1 border-border border-b px-4 py-2">
      <div className="flex items-center gap-2">
        <SessionStatusText status={session.status} />
        <Link
          className="min-w-0 flex-1 truncate font-medium text-link"
          href={`/sessions/${session.id}`}
        >
          {session.ns}/{session.key}
        </Link>
        <LastStop session={session} />
      </div>
      <p className="truncate text-small text-text-2">
        <Timestamp at={session.startedAt} style="second" />
        {facts.map((fact) => ` · ${fact}`).join('')}
      </p>
      <EnforcementBadge facts={session} />
    </li>
  )
}

/** The whole of it; the cell has room for the harness, or else for the runtime. */
function originText({ harness, runtimeName }: SessionFacts): string {
  const { name, version } = harness
  return [[name, version].filter(Boolean).join(' '), runtimeName].filter(Boolean).join(' · ')
}

function ConfigText({ session }: RowProps) {
  const { configVersion, liveVersion } = session
  if (configVersion === null) return <span className="text-text-3">–</span>
  const isOld = liveVersion !== null && liveVersion !== configVersion
  return (
    <span className={isOld ? 'text-text' : 'text-text-2'}>
      v{configVersion}
      {isOld ? ' old' : ''}
    </span>
  )
}

/** Time to the deadline while it runs, the whole duration afterwards. */
function Left({ session }: RowProps) {
  const now = useNow()
  const { deadlineAt, startedAt, endedAt, status } = session
  if (endedAt !== null) return <>{durationText(endedAt - startedAt)}</>
  if (deadlineAt === null || now === null || status !== 'running') return <>–</>
  const left = deadlineAt - now
  const share = Math.max(0, Math.min(1, left / Math.max(1, deadlineAt - startedAt)))
  return (
    <span className="inline-flex items-center gap-1.5 tabular-nums">
      <svg aria-hidden width={48} height={6} className="shrink-0">
        <rect width={48} height={6} rx={2} className="fill-surface-3" />
        <rect width={48 * share} height={6} rx={2} className="fill-neutral-mark" />
      </svg>
      {left > 0 ? durationText(Math.max(1000, left)) : 'overdue'}
    </span>
  )
}

function tokensText({ tokensUsed, tokenLimit }: SessionFacts): string {
  if (tokenLimit !== null) return shareText(tokensUsed, tokenLimit)
  return tokensUsed > 0 ? countText(tokensUsed) : '–'
}

function planText({ planDone, planTotal }: SessionFacts): string {
  return planTotal === null ? '–' : `${planDone ?? 0}/${planTotal}`
}

function Count({ value, className }: { readonly value: number; readonly className: string }) {
  return <span className={value > 0 ? className : 'text-text-3'}>{countText(value)}</span>
}

const STOP = {
  allowed: 'allowed',
  blocked: 'blocked',
  bypassed: 'bypassed',
  no_checker: 'no_checker',
  error: 'error',
} as const satisfies Record<string, Status>

function isStop(verdict: string): verdict is keyof typeof STOP {
  return Object.hasOwn(STOP, verdict)
}

function LastStop({ session }: RowProps) {
  const { lastVerdict, lastStopId, stopsBlocked } = session
  if (lastVerdict === null || lastStopId === null || !isStop(lastVerdict)) {
    return <span className="text-text-3">–</span>
  }
  const isBlocked = lastVerdict === 'blocked' || lastVerdict === 'error'
  return (
    <Link href={`/stops/${lastStopId}`} title="Why?" className="hover:underline">
      {isBlocked ? (
        <span
          className="inline-flex items-center gap-1.5 text-blocked-fg"
          data-status={lastVerdict}
        >
          <StatusIcon status={STOP[lastVerdict]} />
          {stopsBlocked} blocked
        </span>
      ) : (
        <StatusText status={STOP[lastVerdict]} />
      )}
    </Link>
  )
}

function LastEvent({ session }: RowProps) {
  const { lastEventText, lastEventAt } = session
  const words = (lastEventText ?? '').replace(/^[a-z]+\.[a-z]+ · /, '')
  return (
    <>
      {words === '' ? '–' : words} <Ago at={lastEventAt} />
    </>
  )
}
