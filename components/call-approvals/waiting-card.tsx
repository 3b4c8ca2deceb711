'use client'

import { useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { configPath } from '@/components/paths/config-path.ts'
import { useCallRight } from '@/components/shell/release-right.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Card } from '@/components/ui/card.tsx'
import { shortId } from '@/components/ui/copy.tsx'
import { DemoTag } from '@/components/ui/demo-tag.tsx'
import { Kbd } from '@/components/ui/kbd.tsx'
import { Link } from '@/components/ui/link.tsx'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import { StatusText } from '@/components/ui/status-badge.tsx'
import { Ago, Countdown, Timestamp, useNow } from '@/components/ui/time.tsx'
import type { ShownCall } from '@/server/call-approvals/call-approvals.ts'
import { decidedBy, earlierText, settledWords } from './approval-words.ts'
import { ArgsView } from './args-view.tsx'
import type { QueuedCall } from './use-waiting.ts'

export type Decision = 'approved' | 'denied'

/** A runtime polls every 20 seconds; after two missed polls it counts as gone. */
const SILENT_MS = 45_000

const NO_ARGS =
  'The arguments of this call are not stored, so it cannot be decided. It is denied when its wait ends.'

export function WaitingCard({
  queued: { call, isOver },
  isSelected,
  onDecide,
}: {
  readonly queued: QueuedCall
  readonly isSelected: boolean
  readonly onDecide: (decision: Decision) => void
}) {
  return (
    <Card
      className={clsx(
        'flex flex-col gap-3 p-3',
        isSelected && 'border-focus shadow-[inset_3px_0_0_var(--focus)]',
        isOver && 'bg-surface-2',
      )}
    >
      <Heading call={call} isOver={isOver} />
      <ArgsView args={call.args} />
      <Why call={call} />
      {isOver ? (
        <Outcome call={call} />
      ) : (
        <Actions call={call} isSelected={isSelected} onDecide={onDecide} />
      )}
    </Card>
  )
}

function Heading({ call, isOver }: QueuedCall) {
  return (
    <header className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
      <div className="min-w-0">
        <h2 className="break-words font-semibold text-h1">
          <code className="font-mono text-h1">{call.tool}</code>
        </h2>
        <p className="text-text-2">
          <Link className="text-link" href={configPath(call.ns, call.key)}>
            {call.ns}/{call.key}
          </Link>
          {call.configVersion === null ? '' : ` v${call.configVersion}`} in {call.environment} ·{' '}
          <Link
            className="font-mono text-link text-mono"
            href={`/sessions/${call.sessionId}?e=${call.seq}`}
          >
            {shortId(call.sessionId)}
          </Link>{' '}
          <DemoTag session={call.sessionId} /> · requested <Ago at={call.requestedAt} />
        </p>
      </div>
      {isOver ? <StatusText status="ended">over</StatusText> : <TimeLeft call={call} />}
    </header>
  )
}

function TimeLeft({ call }: { readonly call: ShownCall }) {
  const now = useNow()
  const left = now === null ? null : call.waitsUntil - now
  const isShort = left !== null && left < 60_000
  return (
    <span className={clsx('font-medium tabular-nums', isShort && 'text-warning-fg')}>
      {left !== null && left <= 0 ? 'Expired' : <Countdown until={call.waitsUntil} />}
    </span>
  )
}

function Why({ call }: { readonly call: ShownCall }) {
  const { rules, earlier, tool } = call
  const before = earlierText(earlier)
  return (
    <div className="flex flex-col gap-1 text-text-2">
      <p>
        {rules.length === 1 ? 'The rule ' : 'The rules '}
        {rules.map((rule, at) => (
          <span key={rule}>
            {at === 0 ? '' : ', '}
            <code className="text-text">{rule}</code>
          </span>
        ))}{' '}
        {rules.length === 1 ? 'requires' : 'require'} approval before{' '}
        <code className="text-text">{tool}</code> runs; every other rule allows this call.
      </p>
      <p>
        {before === null ? (
          <>No earlier approval requests for this tool.</>
        ) : (
          <>
            Earlier calls of this tool: {before}
            {earlier.lastAt === null ? '' : ', last '}
            {earlier.lastAt === null ? null : (
              <>
                {earlier.lastDecision} by {earlier.lastName} <Ago at={earlier.lastAt} />
              </>
            )}
            .
          </>
        )}
      </p>
      <Listener call={call} />
    </div>
  )
}

function Listener({ call: { askedAt } }: { readonly call: ShownCall }) {
  const now = useNow()
  if (askedAt === null) {
    return <p>The runtime has not asked for the decision yet.</p>
  }
  if (now === null || now - askedAt < SILENT_MS) return null
  return (
    <p className="text-warning-fg">
      The runtime last asked for the decision at <Timestamp at={askedAt} style="second" />. If it is
      gone, a decision has no effect and the call stays denied.
    </p>
  )
}

function Outcome({ call: { id, sessionId } }: { readonly call: ShownCall }) {
  const trpc = useTRPC()
  const query = useQuery(trpc.callApprovals.settled.queryOptions({ filter: { sessionId } }))
  useReadOnChange({ kind: 'approval', id }, query)
  const now = useNow()
  const call = query.data?.calls.find((each) => each.id === id)
  if (call === undefined) return <p className="text-text-2">This request has expired.</p>
  const { status, word, more } = settledWords(call, now)
  return (
    <p className="flex flex-wrap items-baseline gap-x-2">
      <StatusText status={status}>{word}</StatusText>
      <span className="min-w-0 break-words text-text-2">
        {[decidedBy(call), more].filter(Boolean).join(' ')}
      </span>
    </p>
  )
}

function Actions({
  call,
  isSelected,
  onDecide,
}: {
  readonly call: ShownCall
  /** The keys act on this call. */
  readonly isSelected: boolean
  readonly onDecide: (decision: Decision) => void
}) {
  const right = useCallRight(call.environment)
  const now = useNow()
  const isLate = now !== null && call.waitsUntil <= now
  const hindrance = isLate ? 'This request has expired.' : call.input === null ? NO_ARGS : null
  const reason = hindrance ?? right.reason
  const isAllowed = right.isAllowed && hindrance === null
  return (
    <div className="flex flex-wrap items-center gap-2">
      <ReasonedButton
        variant={isSelected ? 'primary' : 'secondary'}
        className="pointer-coarse:h-11 pointer-coarse:flex-1"
        isAllowed={isAllowed}
        reason={reason}
        onClick={() => onDecide('approved')}
      >
        Approve… {isSelected ? <Kbd>a</Kbd> : null}
      </ReasonedButton>
      <ReasonedButton
        className="pointer-coarse:h-11 pointer-coarse:flex-1"
        isAllowed={isAllowed}
        reason={reason}
        onClick={() => onDecide('denied')}
      >
        Deny… {isSelected ? <Kbd>d</Kbd> : null}
      </ReasonedButton>
      {reason === null ? null : <p className="basis-full text-small text-text-2">{reason}</p>}
    </div>
  )
}
