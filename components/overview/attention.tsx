// The order changes only on request.
'use client'

import { countText, percentText, plural } from '@signalbox/core/analysis'
import type { inferRouterOutputs } from '@trpc/server'
import { useState } from 'react'
import { configPath } from '@/components/paths/config-path.ts'
import { Button } from '@/components/ui/button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { shortId } from '@/components/ui/copy.tsx'
import { Link } from '@/components/ui/link.tsx'
import { type Status, StatusIcon } from '@/components/ui/status-badge.tsx'
import { Ago, Countdown, durationText } from '@/components/ui/time.tsx'
import type { AppRouter } from '@/server/trpc/root.ts'

type Needs = inferRouterOutputs<AppRouter>['overview']['attention']
type Item = Needs['items'][number]

type Of<Kind extends Item['kind']> = Extract<Item, { readonly kind: Kind }>

interface Line {
  readonly status: Status
  readonly text: string
  readonly href: string
}

type SessionItem = Of<'session_diverged' | 'session_breached' | 'session_error' | 'session_blocked'>

function sessionLine(item: SessionItem): Line {
  switch (item.kind) {
    case 'session_diverged':
      return {
        status: 'diverged',
        text: `${item.ns}/${item.key} diverged at #${item.divergedSeq ?? '–'}`,
        href: `/sessions/${item.sessionId}`,
      }
    case 'session_breached':
      return {
        status: 'breach',
        text: `${item.ns}/${item.key} was not fully enforced: ${plural(item.breachCount, 'breach')}`,
        href: `/sessions/${item.sessionId}?reasons=true`,
      }
    case 'session_error':
      return {
        status: 'error',
        text: `${item.ns}/${item.key}: a stop could not be evaluated`,
        href: item.stopId === null ? `/sessions/${item.sessionId}` : `/stops/${item.stopId}`,
      }
    case 'session_blocked':
      return {
        status: 'blocked',
        text: `Stop blocked ${item.times}× by ${item.check} · ${item.ns}/${item.key} · ${shortId(item.sessionId)}`,
        href: `/stops/${item.stopId}`,
      }
    default:
      return item satisfies never
  }
}

function describeItem(item: Item): Line {
  switch (item.kind) {
    case 'runtime_rejected':
      return {
        status: 'rejected',
        text: `${item.runtime} rejected revision ${item.revision}: ${item.reason}`,
        href:
          item.releaseId === null ? `/runtimes/${item.runtimeId}` : `/releases/${item.releaseId}`,
      }
    case 'runtime_behind':
      return {
        status: 'behind',
        text: `${item.runtime} applied revision ${item.applied ?? '–'} of ${item.expected}`,
        href: `/runtimes/${item.runtimeId}`,
      }
    case 'session_diverged':
    case 'session_breached':
    case 'session_error':
    case 'session_blocked':
      return sessionLine(item)
    case 'calls_unevaluated':
      return {
        status: 'error',
        text: `${unevaluatedText(item)} · ${item.ns}/${item.key}: ${item.reason}`,
        href: `/decisions/${item.decisionId}`,
      }
    case 'schedule_refused':
      return {
        status: 'rejected',
        text: `The planned release of ${item.ns}/${item.key} to ${item.environment} was refused: ${item.reason}`,
        href: '/releases',
      }
    case 'rollout_rolled_back':
      return {
        status: 'warning',
        text: `v${item.version} of ${item.ns}/${item.key} was rolled back in ${item.environment}: ${item.reason}`,
        href: `${configPath(item.ns, item.key)}/staged-rollout`,
      }
    case 'sessions_lost':
      return {
        status: 'lost',
        text: `${plural(item.count, 'session')} ${item.count === 1 ? 'was' : 'were'} lost`,
        href: item.count === 1 ? `/sessions/${item.sessionId}` : '/sessions?status=lost&range=24h',
      }
    case 'draft_behind':
      return {
        status: 'behind',
        text: `Your draft of ${item.ns}/${item.key} is based on ${item.base === null ? 'no version' : `v${item.base}`}; ${item.environment} runs v${item.live}`,
        href: `${configPath(item.ns, item.key)}/edit`,
      }
    case 'denials_rose':
      return {
        status: 'denied',
        text: `Denial rate ${percentText(item.before * 100)} → ${percentText(item.after * 100)} since v${item.version} · ${item.ns}/${item.key} · ${item.environment}`,
        href: `/releases/${item.releaseId}`,
      }
    case 'bypasses_rose':
      return {
        status: 'bypassed',
        text: `Bypassed stops rose from ${countText(item.before)} to ${countText(item.after)} in 24 h · ${item.ns}/${item.key} · ${item.environment}`,
        href: `/stops?${new URLSearchParams({ env: item.environment, prompt: `${item.ns}/${item.key}`, by: 'all', verdict: 'bypassed', range: '24h' })}`,
      }
    case 'audit_broken':
      return {
        status: 'diverged',
        text: `The audit log's chain is broken at entry ${item.position}`,
        href: item.entryId === null ? '/settings/audit-log' : `/settings/audit-log/${item.entryId}`,
      }
    case 'alert_firing':
      return {
        status: 'warning',
        text: `Alert ${item.rule}: ${item.reason}`,
        href: item.evidence,
      }
    case 'event_log_behind':
      return {
        status: 'behind',
        text:
          item.problem ??
          `The event log holds events of ${durationText(item.lagMs)} that are not stored yet`,
        href: '/settings/event-log',
      }
    case 'event_log_unsafe':
      return {
        status: 'caution',
        text: `The event log may lose acknowledged events when its servers lose power: ${item.weakness}`,
        href: '/settings/event-log',
      }
    case 'dead_letters':
      return {
        status: 'rejected',
        text: `${plural(item.events, 'acknowledged event')} ${item.events === 1 ? 'was' : 'were'} not stored`,
        href: '/settings/event-log',
      }
    case 'key_expiring':
      return {
        status: 'caution',
        text: `API key ${item.name} expires; runtimes that use it are refused then`,
        href: '/settings/keys',
      }
    default:
      return item satisfies never
  }
}

function unevaluatedText({ count, isMore, tool, rule }: Of<'calls_unevaluated'>): string {
  const by = rule === '' ? '' : ` by ${rule}`
  return count === 1
    ? `A call of ${tool} could not be evaluated${by}`
    : `${countText(count)}${isMore ? '+' : ''} calls could not be evaluated${by}`
}

/** Identifies a problem while its numbers and its newest evidence change. */
function toItemKey(item: Item): string {
  switch (item.kind) {
    // Several alerts may have the same evidence.
    case 'alert_firing':
      return item.alertId
    case 'session_blocked':
      return `${item.kind} ${item.sessionId} ${item.check}`
    case 'calls_unevaluated':
      return [item.kind, item.environment, item.ns, item.key, item.rule].join(' ')
    default:
      return `${item.kind} ${describeItem(item).href}`
  }
}

/** Items in the order that the reader saw last: resolved ones disappear, new ones wait. An empty list fills immediately. */
function useSettled(items: readonly Item[]) {
  const [seen, setOrder] = useState(() => items.map(toItemKey))
  const isEmpty = !items.some((item) => seen.includes(toItemKey(item)))
  const order = isEmpty ? items.map(toItemKey) : seen
  if (isEmpty && items.length > 0) setOrder(order)
  const byKey = new Map(items.map((item) => [toItemKey(item), item]))
  const shown = order.flatMap((key) => byKey.get(key) ?? [])
  const fresh = items.filter((item) => !order.includes(toItemKey(item))).length
  return { shown, fresh, refresh: () => setOrder(items.map(toItemKey)) }
}

export interface AttentionProps {
  readonly needs: Needs
  readonly isAll: boolean
  readonly onAll: (isAll: boolean) => void
}

export function Attention({ needs, isAll, onAll }: AttentionProps) {
  const { shown, fresh, refresh } = useSettled(needs.items)
  return (
    <Card>
      <CardHeader
        title="Needs attention"
        actions={
          fresh === 0 ? undefined : (
            <Button onClick={refresh}>{fresh} new · refresh the list</Button>
          )
        }
      />
      <p aria-live="polite" className="sr-only">
        {fresh === 0 ? '' : `${fresh} more need attention`}
      </p>
      {shown.length === 0 ? (
        <p className="px-3 py-3 text-text-2">Nothing needs attention.</p>
      ) : (
        <ul>
          {shown.map((item) => (
            <AttentionLine key={toItemKey(item)} item={item} />
          ))}
        </ul>
      )}
      <Rest needs={needs} isAll={isAll} onAll={onAll} />
    </Card>
  )
}

function Rest({ needs: { more, isMore }, isAll, onAll }: AttentionProps) {
  if (!isAll && more === 0 && !isMore) return null
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1 border-border border-t px-3 py-1.5 text-small text-text-2">
      {isAll
        ? isMore
          ? 'There are more: only the newest of each type are listed.'
          : null
        : `${more}${isMore ? '+' : ''} more`}
      <Button aria-expanded={isAll} onClick={() => onAll(!isAll)}>
        {isAll ? 'Show fewer' : 'Show all'}
      </Button>
    </p>
  )
}

function AttentionLine({ item }: { readonly item: Item }) {
  const { status, text, href } = describeItem(item)
  return (
    <li className="border-border border-b last:border-b-0">
      <Link
        href={href}
        data-row
        data-status={status}
        className="flex min-h-8 items-center gap-2 px-3 py-1 focus:bg-row-selected hover:bg-row-hover"
      >
        <StatusIcon status={status} />
        <span className="min-w-0 flex-1 truncate" title={text}>
          {text}
        </span>
        <span className="text-small text-text-3">
          {item.kind === 'key_expiring' ? <Countdown until={item.at} /> : <Ago at={item.at} />}
        </span>
      </Link>
    </li>
  )
}
