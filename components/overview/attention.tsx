// What is wrong right now, worst first; each line leads to the reason, not to a list.
import type { inferRouterOutputs } from '@trpc/server'
import Link from 'next/link'
import type { AppRouter } from '@/server/trpc/root.ts'
import { configPath } from '../configs/config-path.ts'
import { Card, CardHeader } from '../ui/card.tsx'
import { type Status, StatusIcon } from '../ui/status-badge.tsx'
import { Ago, Countdown } from '../ui/time.tsx'

type Item = inferRouterOutputs<AppRouter>['overview']['get']['attention'][number]

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
        href: '/sessions?status=lost',
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

export function Attention({ items }: { readonly items: readonly Item[] }) {
  return (
    <Card>
      <CardHeader title="Needs attention" />
      {items.length === 0 ? (
        <p className="px-3 py-3 text-text-2">Nothing needs attention.</p>
      ) : (
        <ul>
          {items.map((item) => {
            const { status, text, href } = lineOf(item)
            return (
              <li
                key={`${item.kind} ${href} ${text}`}
                className="border-border border-b last:border-b-0"
              >
                <Link
                  href={href}
                  data-status={status}
                  className="flex min-h-8 items-center gap-2 px-3 py-1 hover:bg-row-hover"
                >
                  <StatusIcon status={status} />
                  <span className="min-w-0 flex-1 truncate">{text}</span>
                  <span className="text-small text-text-3">
                    {item.kind === 'key_expiring' ? (
                      <Countdown until={item.at} />
                    ) : (
                      <Ago at={item.at} />
                    )}
                  </span>
                </Link>
              </li>
            )
          })}
        </ul>
      )}
    </Card>
  )
}
