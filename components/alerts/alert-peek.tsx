'use client'

import { Fact, Facts, Peek } from '@/components/kit/list/peek.tsx'
import { shortId } from '@/components/ui/copy.tsx'
import { Link } from '@/components/ui/link.tsx'
import { ErrorLine } from '@/components/ui/states.tsx'
import { StatusBadge } from '@/components/ui/status-badge.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { ListedAlert } from '@/server/alerts/alert-list.sql.ts'
import { AlertButtons, type AlertButtonsProps } from './alert-buttons.tsx'
import { Deliveries } from './alert-deliveries.tsx'
import { useIsMuted } from './mute-menu.tsx'
import { readScope } from './read-scope.ts'
import { alertState, measuredText, valueText } from './signal-words.ts'

export function AlertPeek({
  onClose,
  ...buttons
}: AlertButtonsProps & { readonly onClose: () => void }) {
  const { alert } = buttons
  const isRuleMuted = useIsMuted(alert.ruleMutedUntil)
  const failure = buttons.acts.findFailure(alert)
  return (
    <Peek title={alert.rule} onClose={onClose}>
      <div className="flex flex-col items-start gap-3">
        <StatusBadge status={alertState(alert, isRuleMuted)} />
        <p className="break-words font-semibold text-h1">{alert.reason}</p>
        <div className="flex flex-wrap items-center gap-2">
          <AlertButtons {...buttons} />
        </div>
        {failure === null ? null : <ErrorLine className="break-words">Failed: {failure}</ErrorLine>}
        <AlertFacts alert={alert} />
        <p className="flex gap-4">
          <Link href={alert.evidence} className="text-link underline">
            Open the reason
          </Link>
          <Link href="/alerts/rules" className="text-link underline">
            Open the rules
          </Link>
        </p>
      </div>
    </Peek>
  )
}

function AlertFacts({ alert }: { readonly alert: ListedAlert }) {
  const { signal, threshold, resolvedAt, acknowledgedAt, ruleMutedUntil } = alert
  const isRuleMuted = useIsMuted(ruleMutedUntil)
  return (
    <Facts>
      <ScopeFacts alert={alert} />
      <Fact name="Value">{measuredText(alert)}</Fact>
      <Fact name="Threshold">{valueText(signal, threshold)} or more</Fact>
      <Fact name="Fired">
        <Timestamp at={alert.firedAt} style="second" />
      </Fact>
      <Fact name="Resolved">
        {resolvedAt === null ? 'not yet' : <Timestamp at={resolvedAt} style="second" />}
      </Fact>
      {isRuleMuted && ruleMutedUntil !== null ? (
        <Fact name="Rule muted">
          until <Timestamp at={ruleMutedUntil} style="second" />
        </Fact>
      ) : null}
      <Fact name="Notified">
        <Deliveries deliveries={alert.deliveries} />
      </Fact>
      <Fact name="Acknowledged">
        {acknowledgedAt === null ? (
          'not acknowledged'
        ) : (
          <>
            {alert.acknowledgedName} <Timestamp at={acknowledgedAt} style="second" />
            {alert.acknowledgedNote === null ? '' : `: “${alert.acknowledgedNote}”`}
          </>
        )}
      </Fact>
    </Facts>
  )
}

const PAGES: Readonly<Record<string, string>> = { Session: 'sessions', Release: 'releases' }

function ScopeFacts({ alert }: { readonly alert: ListedAlert }) {
  return readScope(alert).map(({ name, text }) => {
    const page = PAGES[name]
    return (
      <Fact key={name} name={name}>
        {page === undefined ? (
          text
        ) : (
          <Link href={`/${page}/${text}`} className="text-link underline">
            {shortId(text)}
          </Link>
        )}
      </Fact>
    )
  })
}
