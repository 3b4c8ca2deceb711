// The order changes only on request.
'use client'

import { countText, endSentence, percentText, plural, shareText } from '@signalbox/core/analysis'
import type { inferRouterOutputs } from '@trpc/server'
import { useState } from 'react'
import { readScope } from '@/components/alerts/read-scope.ts'
import { configPath } from '@/components/paths/config-path.ts'
import { Button } from '@/components/ui/button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { shortId } from '@/components/ui/copy.tsx'
import { DemoTag } from '@/components/ui/demo-tag.tsx'
import { Link } from '@/components/ui/link.tsx'
import { type Status, StatusIcon, StatusText } from '@/components/ui/status-badge.tsx'
import { Ago, Countdown, durationText, Timestamp } from '@/components/ui/time.tsx'
import { Words } from '@/components/ui/words.tsx'
import type { AppRouter } from '@/server/trpc/root.ts'

export type Needs = inferRouterOutputs<AppRouter>['overview']['attention']
type Item = Needs['items'][number]

type Of<Kind extends Item['kind']> = Extract<Item, { readonly kind: Kind }>

interface Line {
  readonly status: Status
  /** The kind of problem, in one or two words. */
  readonly kind: string
  /** What happened, with its figures. */
  readonly text: string
  /** Where, and what else is known. */
  readonly scope: string
  readonly href: string
  /** Label of the link to the reason. */
  readonly action: string
}

const promptText = ({ ns, key }: { readonly ns: string; readonly key: string }): string =>
  `${ns}/${key}`

const placeText = (item: {
  readonly ns: string
  readonly key: string
  readonly environment: string
}): string => `${promptText(item)} · ${item.environment}`

/** Config or runtime, then the environment. */
function placeParts(alert: Of<'alert_firing'>): readonly string[] {
  const [environment, ...rest] = readScope(alert)
    .slice(0, 2)
    .map(({ text }) => text)
  return [...rest, ...(environment === undefined ? [] : [environment])]
}

type SessionItem = Of<'session_diverged' | 'session_breached' | 'session_error' | 'session_blocked'>

function sessionLine(item: SessionItem): Line {
  const scope = `${promptText(item)} · ${shortId(item.sessionId)}`
  switch (item.kind) {
    case 'session_diverged':
      return {
        status: 'diverged',
        kind: 'Diverged',
        text: `The recorded decision of event #${item.divergedSeq ?? '–'} could not be reproduced`,
        scope,
        href: `/sessions/${item.sessionId}`,
        action: 'See event',
      }
    case 'session_breached':
      return {
        status: 'breach',
        kind: 'Not enforced',
        text: `A session was not fully enforced at ${plural(item.breachCount, 'event')}`,
        scope,
        href: `/sessions/${item.sessionId}?reasons=true`,
        action: 'See why',
      }
    case 'session_error':
      return {
        status: 'error',
        kind: 'Error',
        text: 'A stop could not be evaluated',
        scope,
        href: item.stopId === null ? `/sessions/${item.sessionId}` : `/stops/${item.stopId}`,
        action: 'See why',
      }
    case 'session_blocked':
      return {
        status: 'blocked',
        kind: `Blocked ${item.times}×`,
        text: item.reason,
        scope: `${scope} · ${item.check}`,
        href: `/stops/${item.stopId}`,
        action: 'See why',
      }
    default:
      return item satisfies never
  }
}

type RuntimeItem = Of<'runtime_rejected' | 'runtime_behind'>

function runtimeLine(item: RuntimeItem): Line {
  const { release, staged, runtime, environment } = item
  const from = release ?? staged
  const known = {
    kind: 'Not applied',
    scope: from === null ? environment : placeText({ ...from, environment }),
    ...runtimeLink(item),
  }
  if (item.kind === 'runtime_rejected') {
    const version = from === null ? `revision ${item.revision}` : `v${from.version}`
    return { ...known, status: 'behind', text: `${runtime} rejected ${version}: ${item.reason}` }
  }
  const version = from === null ? `revision ${item.expected}` : `v${from.version}`
  return { ...known, status: 'behind', text: `${runtime} has not applied ${version}` }
}

function runtimeLink({ release, staged, runtimeId }: RuntimeItem): Pick<Line, 'href' | 'action'> {
  if (release !== null) return { href: `/releases/${release.id}`, action: 'See release' }
  if (staged !== null) {
    const href = `${configPath(staged.ns, staged.key)}/staged-rollout`
    return { href, action: 'See rollout' }
  }
  return { href: `/runtimes/${runtimeId}`, action: 'See runtime' }
}

const BYPASSED = {
  deadline: 'the deadline had passed',
  budget: 'the budget was used up',
  max_blocks: 'the limit on blocked stops was reached',
  ended: 'a user ended the session',
} as const

function bypassLine(item: Of<'bypasses_rose'>): Line {
  const { before, after, bypass, environment } = item
  const earlier =
    before.stops === 0 ? '' : `, ${shareText(before.bypassed, before.stops)} the day before`
  return {
    status: 'bypassed',
    kind: 'Bypassed',
    text: `${shareText(after.bypassed, after.stops)} of ${plural(after.stops, 'stop')} let through unfinished in 24 h${earlier}`,
    scope: placeText(item) + (bypass === null ? '' : ` · ${BYPASSED[bypass]}`),
    href: `/stops?${new URLSearchParams({ env: environment, prompt: promptText(item), by: 'all', verdict: 'bypassed', range: '24h' })}`,
    action: 'Review stops',
  }
}

type LogItem = Of<'audit_broken' | 'event_log_behind' | 'event_log_unsafe' | 'dead_letters'>

function logLine(item: LogItem): Line {
  const log = { scope: 'event log', href: '/settings/event-log', action: 'See event log' }
  switch (item.kind) {
    case 'audit_broken':
      return {
        status: 'diverged',
        kind: 'Chain broken',
        text: `The audit log's chain is broken at entry ${item.position}`,
        scope: 'audit log',
        href: item.entryId === null ? '/settings/audit-log' : `/settings/audit-log/${item.entryId}`,
        action: 'See entry',
      }
    case 'event_log_behind':
      return {
        ...log,
        status: 'behind',
        kind: 'Log behind',
        text:
          item.problem ??
          `The event log holds events of ${durationText(item.lagMs)} that are not stored yet`,
      }
    case 'event_log_unsafe':
      return {
        ...log,
        status: 'caution',
        kind: 'Log unsafe',
        text: `The event log may lose acknowledged events when its servers lose power: ${item.weakness}`,
      }
    case 'dead_letters':
      return {
        ...log,
        status: 'rejected',
        kind: 'Not stored',
        text: `${plural(item.events, 'acknowledged event')} ${item.events === 1 ? 'was' : 'were'} not stored`,
      }
    default:
      return item satisfies never
  }
}

function describeItem(item: Item): Line {
  switch (item.kind) {
    case 'bypasses_rose':
      return bypassLine(item)
    case 'runtime_rejected':
    case 'runtime_behind':
      return runtimeLine(item)
    case 'denials_rose':
      return {
        status: 'denied',
        kind: 'Denials up',
        text: `${percentText(item.after * 100)} of calls denied since v${item.version}, ${percentText(item.before * 100)} before`,
        scope: `${placeText(item)} · ${countText(item.denied)} of ${plural(item.calls, 'call')}`,
        href: `/releases/${item.releaseId}`,
        action: 'Compare',
      }
    case 'session_diverged':
    case 'session_breached':
    case 'session_error':
    case 'session_blocked':
      return sessionLine(item)
    case 'calls_unevaluated':
      return {
        status: 'error',
        kind: 'Error',
        text: `${unevaluatedText(item)}: ${item.reason}`,
        scope: placeText(item),
        href: `/decisions/${item.decisionId}`,
        action: 'See call',
      }
    case 'schedule_refused':
      return {
        status: 'rejected',
        kind: 'Refused',
        text: `A scheduled release was refused: ${item.reason}`,
        scope: placeText(item),
        href: '/releases',
        action: 'See schedule',
      }
    case 'rollout_rolled_back':
      return {
        status: item.isDone ? 'warning' : 'rejected',
        kind: item.isDone ? 'Rolled back' : 'Not rolled back',
        text: `v${item.version} ${item.isDone ? 'was rolled back' : 'is worse and still live'}: ${item.reason}`,
        scope: placeText(item),
        href: `${configPath(item.ns, item.key)}/staged-rollout`,
        action: 'See rollout',
      }
    case 'sessions_lost':
      return {
        status: 'lost',
        kind: 'Lost',
        text: `${plural(item.count, 'session')} ${item.count === 1 ? `of ${promptText(item)} was` : 'were'} lost in 24 h`,
        scope: 'No event for 5 minutes, and no runtime reports it',
        href:
          item.count === 1
            ? `/sessions/${item.sessionId}`
            : '/sessions?status=lost&range=24h&q=imported:no',
        action: item.count === 1 ? 'See session' : 'See sessions',
      }
    case 'draft_behind':
      return {
        status: 'behind',
        kind: 'Draft behind',
        text: `Your draft is based on ${item.base === null ? 'no version' : `v${item.base}`}, and v${item.live} is live`,
        scope: placeText(item),
        href: `${configPath(item.ns, item.key)}/edit`,
        action: 'Open draft',
      }
    case 'audit_broken':
    case 'event_log_behind':
    case 'event_log_unsafe':
    case 'dead_letters':
      return logLine(item)
    case 'alert_firing':
      return {
        status: 'warning',
        kind: 'Alert',
        text: item.reason,
        scope: [item.rule, ...placeParts(item)].join(' · '),
        href: item.evidence,
        action: 'See why',
      }
    case 'key_expiring':
      return {
        status: 'caution',
        kind: 'Key expires',
        text: 'Runtimes that use this API key are refused when it expires',
        scope: item.name,
        href: '/settings/keys',
        action: 'Rotate key',
      }
    default:
      return item satisfies never
  }
}

function unevaluatedText({ count, isMore, tool, rule }: Of<'calls_unevaluated'>): string {
  const by = rule === '' ? '' : ` by ${rule}`
  return count === 1
    ? `A call of \`${tool}\` could not be evaluated${by}`
    : `${countText(count)}${isMore ? '+' : ''} calls could not be evaluated${by}`
}

/** Config of a problem that no session proves; empty: sessions do, which are never those of the demo. */
function findConfig(item: Item): { readonly ns?: string } {
  switch (item.kind) {
    case 'runtime_rejected':
    case 'runtime_behind':
      return item.release ?? {}
    case 'schedule_refused':
    case 'draft_behind':
      return item
    default:
      return {}
  }
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
    // Several runtimes lack the same release.
    case 'runtime_rejected':
    case 'runtime_behind':
      return `${item.kind} ${item.runtimeId}`
    // Those of one config, and all keys and plans, lead to the same page.
    case 'schedule_refused':
      return `${item.kind} ${item.scheduleId}`
    case 'rollout_rolled_back':
      return [item.kind, item.environment, item.ns, item.key, item.version, item.at].join(' ')
    case 'key_expiring':
      return `${item.kind} ${item.keyId}`
    default:
      return `${item.kind} ${describeItem(item).href}`
  }
}

/** Items in the order that the reader saw last: resolved ones disappear, new ones wait. An empty list, and a list that is expanded, fill immediately. */
function useSettled(items: readonly Item[], isAll: boolean) {
  const [seen, setSeen] = useState(() => ({ order: items.map(toItemKey), isAll }))
  const isOther =
    seen.isAll !== isAll ||
    (items.length > 0 && !items.some((item) => seen.order.includes(toItemKey(item))))
  const order = isOther ? items.map(toItemKey) : seen.order
  if (isOther) setSeen({ order, isAll })
  const byKey = new Map(items.map((item) => [toItemKey(item), item]))
  const shown = order.flatMap((key) => byKey.get(key) ?? [])
  const fresh = items.filter((item) => !order.includes(toItemKey(item))).length
  return { shown, fresh, refresh: () => setSeen({ order: items.map(toItemKey), isAll }) }
}

export interface AttentionProps {
  readonly needs: Needs
  readonly isAll: boolean
  readonly onAll: (isAll: boolean) => void
}

export function Attention({ needs, isAll, onAll }: AttentionProps) {
  const { shown, fresh, refresh } = useSettled(needs.items, isAll)
  const open = needs.items.length + needs.more
  return (
    <Card>
      <CardHeader
        title="Needs attention"
        aside={
          open === 0
            ? undefined
            : `${countText(open)}${needs.isMore ? '+' : ''} open · most urgent first`
        }
        actions={
          <span className="inline-flex items-center gap-3">
            {fresh === 0 ? null : <Button onClick={refresh}>{fresh} new, show</Button>}
            <Link href="/alerts/rules" className="text-link">
              Alert rules
            </Link>
          </span>
        }
      />
      <p aria-live="polite" className="sr-only">
        {fresh === 0 ? '' : `${fresh} more need attention`}
      </p>
      {shown.length === 0 ? (
        <NothingToDo watch={needs.watch} />
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

function NothingToDo({ watch: { rules, configs, lastAlertAt } }: Pick<Needs, 'watch'>) {
  return (
    <div className="flex items-start gap-2 px-3 py-3">
      <span className="mt-0.5">
        <StatusIcon status="passed" />
      </span>
      <div>
        <p className="font-medium">Nothing needs attention.</p>
        <p className="text-text-2">
          {describeWatch(rules, configs)}{' '}
          {lastAlertAt === null ? (
            'No alert has fired yet.'
          ) : (
            <>
              Last alert: <Timestamp at={lastAlertAt} style="row" />.
            </>
          )}
        </p>
      </div>
    </div>
  )
}

function describeWatch(rules: number, configs: number): string {
  const alertRules = plural(rules, 'alert rule')
  if (configs === 0) return `${alertRules} ${rules === 1 ? 'is' : 'are'} on.`
  return `${alertRules} ${rules === 1 ? 'watches' : 'watch'} ${plural(configs, 'config')}.`
}

function Rest({ needs: { more, isMore }, isAll, onAll }: AttentionProps) {
  if (!isAll && more === 0 && !isMore) return null
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1 border-border border-t px-3 py-1.5 text-small text-text-2">
      {isAll && isMore ? 'There are more: only the newest of each type are listed.' : null}
      <Button aria-expanded={isAll} onClick={() => onAll(!isAll)}>
        {isAll ? 'Show fewer' : `${countText(more)}${isMore ? '+' : ''} more`}
      </Button>
    </p>
  )
}

/** The whole line is one link, so that it is one tab stop. */
function AttentionLine({ item }: { readonly item: Item }) {
  const { status, kind, scope, href, action, ...line } = describeItem(item)
  const text = endSentence(line.text)
  return (
    <li className="border-border border-b last:border-b-0">
      <Link
        href={href}
        data-row
        data-status={status}
        className="group flex min-h-[38px] flex-wrap items-center gap-x-2.5 gap-y-0.5 px-3 py-1 focus:bg-row-selected hover:bg-row-hover max-sm:py-2 sm:flex-nowrap"
      >
        <span className="shrink-0 font-medium sm:w-32">
          <StatusText status={status}>{kind}</StatusText>
        </span>
        <span
          className="min-w-0 flex-1 max-sm:order-3 max-sm:basis-full sm:line-clamp-2"
          title={`${text.replaceAll('`', '')} · ${scope}`}
        >
          <span className="font-medium">
            <Words text={text} />
          </span>{' '}
          <span className="text-text-2 max-sm:block max-sm:text-small">{scope}</span>{' '}
          <DemoTag {...findConfig(item)} />
        </span>
        <span className="shrink-0 text-small text-text-3 max-sm:order-2 max-sm:ml-auto">
          {item.kind === 'key_expiring' ? <Countdown until={item.at} /> : <Ago at={item.at} />}
        </span>
        <span className="inline-flex h-(--control) w-28 shrink-0 items-center justify-center rounded-control border border-border bg-surface font-medium group-hover:bg-row-hover max-sm:order-4 max-sm:h-auto max-sm:w-auto max-sm:border-none max-sm:bg-transparent max-sm:text-link">
          {action}
        </span>
      </Link>
    </li>
  )
}
