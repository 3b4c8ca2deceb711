'use client'

import { clsx } from 'clsx'
import { createContext, useContext } from 'react'
import { copyLink, linkedAt } from '@/components/kit/list/copy-link.ts'
import { type CellProps, defineFace } from '@/components/kit/list/list-face.tsx'
import { markAction } from '@/components/kit/list/marked-foot.tsx'
import { peekAction } from '@/components/kit/list/peek-action.ts'
import { ErrorLine } from '@/components/ui/states.tsx'
import { StatusBadge, StatusText } from '@/components/ui/status-badge.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { ListedAlert } from '@/server/alerts/alert-list.sql.ts'
import { ALERTS } from '@/server/alerts/alerts.list.ts'
import { alertSignal } from '@/server/alerts/signals.kinds.ts'
import { AlertButtons } from './alert-buttons.tsx'
import { useIsMuted } from './mute-menu.tsx'
import { readScope } from './read-scope.ts'
import { alertState, measuredText, notifiedText, valueText } from './signal-words.ts'
import type { AlertActs } from './use-alert-acts.ts'

type Props = CellProps<ListedAlert>

interface Handling {
  readonly acts: AlertActs
  readonly onAcknowledge: (alert: ListedAlert) => void
}

const HandlingContext = createContext<Handling | null>(null)

export const AlertHandling = HandlingContext.Provider

/** Throws outside of `AlertHandling`. */
export function useAlertHandling(): Handling {
  const handling = useContext(HandlingContext)
  if (handling === null) throw new Error('There is no AlertHandling around the list.')
  return handling
}

function StateText({ row }: Props) {
  const isRuleMuted = useIsMuted(row.ruleMutedUntil)
  return <StatusBadge status={alertState(row, isRuleMuted)} />
}

function NotifiedCell({ row }: Props) {
  const { look, text } = notifiedText(row.deliveries)
  // A host breaks after its dots.
  const breaking = text.replaceAll('.', '.\u200b')
  return (
    <span title={text} className={clsx(look === null && 'text-text-2')}>
      {look === null ? breaking : <StatusText status={look}>{breaking}</StatusText>}
    </span>
  )
}

/** Environment and config or runtime; the peek shows the whole scope. */
const placeText = (alert: ListedAlert): string =>
  readScope(alert)
    .slice(0, 2)
    .map(({ text }) => text)
    .join(' ')

const thresholdText = ({ signal, threshold }: ListedAlert): string => valueText(signal, threshold)

function Handled({ row }: Props) {
  const { acts, onAcknowledge } = useAlertHandling()
  return <AlertButtons alert={row} acts={acts} onAcknowledge={() => onAcknowledge(row)} isBrief />
}

/** Rule, place, and who handles it; the peek has the rest. A failed action shows its reason instead. */
function Context({ row: alert }: Props) {
  const { acts } = useAlertHandling()
  const isRuleMuted = useIsMuted(alert.ruleMutedUntil)
  const failure = acts.findFailure(alert)
  const look = 'line-clamp-1 wrap-anywhere basis-full text-small'
  if (failure !== null) return <ErrorLine className={look}>Failed: {failure}</ErrorLine>
  const { ruleMutedUntil, acknowledgedAt, acknowledgedName, acknowledgedNote } = alert
  const note = acknowledgedNote === null ? '' : `: “${acknowledgedNote}”`
  const handled = acknowledgedAt === null ? [] : [`${acknowledgedName}${note}`]
  const text = [placeText(alert), ...handled].join(' · ')
  return (
    <span className={clsx(look, 'text-text-2')} title={`${alert.rule} · ${text}`}>
      {/* A card names it above. */}
      <span className="max-md:hidden">{alert.rule} · </span>
      {text}
      {isRuleMuted && ruleMutedUntil !== null ? (
        <>
          {' · '}muted until <Timestamp at={ruleMutedUntil} style="row" />
        </>
      ) : null}
    </span>
  )
}

export const ALERT_FACE = defineFace(ALERTS, {
  heading: 'Alerts',
  noun: 'alert',
  cells: {
    isFiring: StateText,
    rule: ({ row }: Props) => row.rule,
    signal: ({ row }: Props) => alertSignal(row.signal).label,
    scope: ({ row }: Props) => row.scope,
    value: ({ row }: Props) => measuredText(row),
    threshold: ({ row }: Props) => thresholdText(row),
    reason: ({ row }: Props) => row.reason,
    firedAt: ({ row }: Props) => <Timestamp at={row.firedAt} style="row" />,
    resolvedAt: ({ row }: Props) =>
      row.resolvedAt === null ? 'not yet' : <Timestamp at={row.resolvedAt} style="row" />,
    acknowledgedName: ({ row }: Props) => row.acknowledgedName ?? 'not acknowledged',
    notified: NotifiedCell,
    handling: Handled,
  },
  lead: 'reason',
  href: ({ evidence }) => evidence,
  buildLink: (id) => `/alerts?peek=${id}`,
  title: ({ reason }) => reason,
  why: ({ evidence }) => evidence,
  menuName: ({ rule }) => `the alert ${rule}`,
  actions: ({ id, evidence, reason }, { marks, peek }) => [
    { name: 'Open the reason', href: evidence },
    peekAction(peek, id),
    markAction(marks, id),
    { name: 'Copy link', onSelect: () => copyLink(linkedAt(evidence, reason)) },
  ],
  Aside: Context,
  Card: ({ row, link }) => (
    <>
      <span className="line-clamp-2 wrap-anywhere">
        <StateText row={row} /> <span className="font-medium">{row.rule}</span>
      </span>
      {link}
      <span className="line-clamp-2 text-small text-text-2">
        {measuredText(row)}; threshold: {thresholdText(row)} ·{' '}
        <Timestamp at={row.firedAt} style="row" />
      </span>
      <span className="flex items-center gap-x-2 text-small">
        <Handled row={row} />
        <NotifiedCell row={row} />
      </span>
    </>
  ),
  cardHeight: 160,
  // Two lines of the reason, and its context.
  rowHeight: 52,
})
