'use client'

import { countText, shareText } from '@signalbox/core/analysis'
import { Link } from '@/components/ui/link.tsx'
import { type Status, StatusText } from '@/components/ui/status-badge.tsx'
import { Ago, durationText, useNow } from '@/components/ui/time.tsx'
import type { SessionFacts } from '@/server/sessions/session-columns.sql.ts'
import { activityWords } from './activity.ts'

interface CellProps {
  readonly session: SessionFacts
}

export function ActivityText({ session }: CellProps) {
  const { look, word, sentence } = activityWords(session)
  return (
    <span title={sentence} className="min-w-0">
      <StatusText status={look}>{word}</StatusText>
    </span>
  )
}

/** Dimmed: the live version of the environment. Marked "old": a newer version is live; a newer one than the live version is staged or was rolled back. */
export function VersionText({ session }: CellProps) {
  const { configVersion, liveVersion } = session
  if (configVersion === null) return <span className="text-text-3">–</span>
  const isLive = liveVersion === null || liveVersion === configVersion
  return (
    <span
      className={isLive ? 'text-text-2' : 'text-text'}
      title={isLive ? undefined : `v${liveVersion} is live`}
    >
      v{configVersion}
      {isLive || liveVersion < configVersion ? '' : ' old'}
    </span>
  )
}

export function originText({ harness, runtimeName }: SessionFacts): string {
  const { name, version } = harness
  return [[name, version].filter(Boolean).join(' '), runtimeName].filter(Boolean).join(' · ')
}

export function TimeText({ session }: CellProps) {
  const now = useNow()
  const { deadlineAt, startedAt, endedAt, status } = session
  if (endedAt !== null) return <>{durationText(Math.max(0, endedAt - startedAt))}</>
  if (now === null || status !== 'running') return <span className="text-text-3">–</span>
  if (deadlineAt === null) {
    return <span className="text-text-2">{durationText(Math.max(1000, now - startedAt))}</span>
  }
  const left = deadlineAt - now
  if (left <= 0) return <>overdue {durationText(Math.max(1000, -left))}</>
  const share = Math.max(0, Math.min(1, left / Math.max(1, deadlineAt - startedAt)))
  return (
    <span className="inline-flex flex-wrap items-center gap-x-1.5">
      <svg aria-hidden width={28} height={6} className="shrink-0">
        <rect width={28} height={6} rx={2} className="fill-surface-3" />
        <rect width={28 * share} height={6} rx={2} className="fill-neutral-mark" />
      </svg>
      <span className="whitespace-nowrap">{durationText(Math.max(1000, left))} left</span>
    </span>
  )
}

const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

/** Share of the token budget; without a budget, the tokens used, abbreviated from 10,000. */
export function tokensText({ tokensUsed, tokenLimit }: SessionFacts): string {
  if (tokenLimit !== null) return shareText(tokensUsed, tokenLimit)
  if (tokensUsed === 0) return '–'
  return tokensUsed < 10_000 ? countText(tokensUsed) : COMPACT.format(tokensUsed)
}

export function planText({ planDone, planTotal }: SessionFacts): string {
  return planTotal === null ? '–' : `${planDone ?? 0}/${planTotal}`
}

/** A stop that could not be evaluated is held back without being counted as blocked. */
export function stopsText({ stopAttempts, stopsBlocked, lastVerdict }: SessionFacts): string {
  const blocked = `${countText(stopsBlocked)} blocked`
  const failed = stopAttempts === 1 ? 'could not be evaluated' : 'the last could not be evaluated'
  const results =
    lastVerdict !== 'error' ? [blocked] : stopsBlocked === 0 ? [failed] : [blocked, failed]
  return [countText(stopAttempts), ...results].join(', ')
}

export function CountText({ value }: { readonly value: number }) {
  return <span className={value > 0 ? undefined : 'text-text-3'}>{countText(value)}</span>
}

const STOP = {
  allowed: 'allowed',
  blocked: 'blocked',
  bypassed: 'bypassed',
  no_checker: 'no_checker',
  error: 'error',
  would_block: 'caution',
} as const satisfies Record<string, Status>

function isStop(verdict: string): verdict is keyof typeof STOP {
  return Object.hasOwn(STOP, verdict)
}

/** Undefined: the word of the status. A session without a blocked stop whose last one is blocked has only the final verification. */
function stopWord(verdict: string, blocked: number): string | undefined {
  if (verdict === 'would_block') return 'Would block'
  if (verdict === 'error') return 'Error, blocked'
  if (verdict !== 'blocked') return undefined
  return blocked === 0 ? 'Incomplete' : `${countText(blocked)} blocked`
}

export function LastStop({ session }: CellProps) {
  const { lastVerdict, lastStopId, lastStopReason, stopsBlocked } = session
  if (lastVerdict === null || lastStopId === null || !isStop(lastVerdict)) {
    return <span className="text-text-3">–</span>
  }
  return (
    <Link
      href={`/stops/${lastStopId}`}
      tabIndex={-1}
      title={lastStopReason ?? 'Why?'}
      className="hover:underline"
    >
      <StatusText status={STOP[lastVerdict]}>{stopWord(lastVerdict, stopsBlocked)}</StatusText>
      {lastVerdict === 'blocked' || stopsBlocked === 0 ? null : (
        <span className="text-text-2"> · {countText(stopsBlocked)} blocked</span>
      )}
    </Link>
  )
}

function lastEventWords({ lastEventText }: SessionFacts): string {
  const words = (lastEventText ?? '').replace(/^[a-z]+\.[a-z]+( · )?/, '')
  return words === '' ? '–' : words
}

export function LastEventText({ session }: CellProps) {
  return (
    <span className="block truncate" title={session.lastEventText ?? undefined}>
      {lastEventWords(session)}
    </span>
  )
}

export function LastEvent({ session }: CellProps) {
  return (
    <span className="flex min-w-0 gap-1.5" title={session.lastEventText ?? undefined}>
      <span className="line-clamp-2 wrap-anywhere min-w-0">{lastEventWords(session)}</span>
      <span className="shrink-0 text-text-3">
        <Ago at={session.lastEventAt} />
      </span>
    </span>
  )
}
