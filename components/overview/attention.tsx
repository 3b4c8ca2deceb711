// What is wrong right now, worst first; each line leads to the reason, not to a list. The order changes when the reader asks.
'use client'

import type { inferRouterOutputs } from '@trpc/server'
import { useState } from 'react'
import { Link } from '@/components/ui/link.tsx'
import type { AppRouter } from '@/server/trpc/root.ts'
import { configPath } from '../configs/config-path.ts'
import { Button } from '../ui/button.tsx'
import { Card, CardHeader } from '../ui/card.tsx'
import { type Status, StatusIcon } from '../ui/status-badge.tsx'
import { Ago, Countdown } from '../ui/time.tsx'

type Item = inferRouterOutputs<AppRouter>['overview']['attention'][number]

interface Line {
  readonly status: Status
  readonly text: string
  readonly href: string
}

function lineOf(item: Item): Line {
  switch (item.kind) {
    case 'runtime_rejected':
      return {
        status: 'rejected',
        text: `${item.runtime} rejected revision ${item.revision}: ${item.reason}`,
        href:
          item.releaseId === null ? `/runtimes/${item.runtimeId}` : `/rollouts/${item.releaseId}`,
      }
    case 'runtime_behind':
      return {
        status: 'behind',
        text: `${item.runtime} applied revision ${item.applied ?? '–'} of ${item.expected}`,
        href: `/runtimes/${item.runtimeId}`,
      }
    case 'session_diverged':
      return {
        status: 'diverged',
        text: `${item.ns}/${item.key} diverged at #${item.divergedSeq ?? '–'}`,
        href: `/sessions/${item.sessionId}`,
      }
    case 'session_breached':
      return {
        status: 'breach',
        text: `${item.ns}/${item.key} was not fully enforced: ${item.breachCount} ${item.breachCount === 1 ? 'breach' : 'breaches'}`,
        href: `/sessions/${item.sessionId}?reasons=true`,
      }
    case 'session_error':
      return {
        status: 'error',
        text: `${item.ns}/${item.key}: a stop could not be evaluated`,
        href: hrefOf(item),
      }
    case 'session_blocked':
      return {
        status: 'blocked',
        text: `${item.ns}/${item.key}: stop blocked ${item.stopsBlocked}×`,
        href: hrefOf(item),
      }
    case 'schedule_refused':
      return {
        status: 'rejected',
        text: `The planned release of ${item.ns}/${item.key} to ${item.environment} was refused: ${item.reason}`,
        href: '/rollouts',
      }
    case 'rollout_rolled_back':
      return {
        status: 'warning',
        text: `v${item.version} of ${item.ns}/${item.key} was rolled back in ${item.environment}: ${item.reason}`,
        href: `${configPath(item.ns, item.key)}/cohorts`,
      }
    case 'sessions_lost':
      return {
        status: 'lost',
        text: `${item.count} ${item.count === 1 ? 'session was' : 'sessions were'} lost`,
        href: item.count === 1 ? `/sessions/${item.sessionId}` : '/sessions?status=lost&range=24h',
      }
    case 'draft_behind':
      return {
        status: 'behind',
        text: `Your draft of ${item.ns}/${item.key} rests on ${item.base === null ? 'no version' : `v${item.base}`}; ${item.environment} runs v${item.live}`,
        href: `${configPath(item.ns, item.key)}/edit`,
      }
    case 'denials_rose':
      return {
        status: 'denied',
        text: `Denied calls ${percent(item.before)} → ${percent(item.after)} since ${item.ns}/${item.key}@v${item.version}`,
        href: `/rollouts/${item.releaseId}`,
      }
    case 'audit_broken':
      return {
        status: 'diverged',
        text: `The audit log's chain is broken at entry ${item.position}`,
        href: item.entryId === null ? '/settings/audit' : `/settings/audit/${item.entryId}`,
      }
    case 'alert_firing':
      return {
        status: 'warning',
        text: `Alert ${item.rule}: ${item.reason}`,
        href: item.evidence,
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

function hrefOf(item: { readonly stopId: string | null; readonly sessionId: string }): string {
  return item.stopId === null ? `/sessions/${item.sessionId}` : `/stops/${item.stopId}`
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}

/** The same trouble keeps its key while its numbers change. */
function keyOf(item: Item): string {
  // Two alerts may have the same evidence.
  return item.kind === 'alert_firing' ? item.alertId : `${item.kind} ${lineOf(item).href}`
}

/** The items of the order that the reader saw last; those that are over leave it, new ones wait. */
function useSettled(items: readonly Item[]) {
  const [order, setOrder] = useState(() => items.map(keyOf))
  const byKey = new Map(items.map((item) => [keyOf(item), item]))
  const shown = order.flatMap((key) => byKey.get(key) ?? [])
  const fresh = items.filter((item) => !order.includes(keyOf(item))).length
  return { shown, fresh, refresh: () => setOrder(items.map(keyOf)) }
}

export function Attention({ items }: { readonly items: readonly Item[] }) {
  const { shown, fresh, refresh } = useSettled(items)
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
            <AttentionLine key={keyOf(item)} item={item} />
          ))}
        </ul>
      )}
    </Card>
  )
}

function AttentionLine({ item }: { readonly item: Item }) {
  const { status, text, href } = lineOf(item)
  return (
    <li className="border-border border-b last:border-b-0">
      <Link
        href={href}
        data-status={status}
        className="flex min-h-8 items-center gap-2 px-3 py-1 hover:bg-row-hover"
      >
        <StatusIcon status={status} />
        <span className="min-w-0 flex-1 truncate">{text}</span>
        <span className="text-small text-text-3">
          {item.kind === 'key_expiring' ? <Countdown until={item.at} /> : <Ago at={item.at} />}
        </span>
      </Link>
    </li>
  )
}
