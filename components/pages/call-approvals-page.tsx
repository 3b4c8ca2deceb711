// Calls that wait for a call approval, longest wait first, then the earlier ones.
'use client'

import { omitUndefined } from '@signalbox/core'
import { countText, plural } from '@signalbox/core/analysis'
import { parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs'
import { type RefObject, useRef, useState } from 'react'
import { NotifyButton } from '@/components/call-approvals/notify-button.tsx'
import { SETTLED, SettledList } from '@/components/call-approvals/settled-list.tsx'
import { type QueuedCall, useWaiting } from '@/components/call-approvals/use-waiting.ts'
import { type Decision, WaitingCard } from '@/components/call-approvals/waiting-card.tsx'
import { type Linked, linkedAt, openPage } from '@/components/kit/list/copy-link.ts'
import { focusFilter, listKeys } from '@/components/kit/list/list-keys.ts'
import { useGo } from '@/components/shell/address.ts'
import { useEnvironment } from '@/components/shell/environment-switcher.tsx'
import { PageHeader } from '@/components/shell/page-header.tsx'
import { usePageKeys } from '@/components/shell/page-keys.ts'
import { useCallRight } from '@/components/shell/release-right.ts'
import { Button, LinkButton } from '@/components/ui/button.tsx'
import { lazyDialog } from '@/components/ui/lazy-popup.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { Timestamp } from '@/components/ui/time.tsx'

const DecideDialog = lazyDialog(() =>
  import('@/components/call-approvals/decide-dialog.tsx').then((module) => module.DecideDialog),
)

const PARSERS = { call: parseAsString, kind: parseAsStringLiteral(SETTLED) }

export function CallApprovalsPage() {
  const environment = useEnvironment()
  // The key gives each environment its own queue.
  return <Approvals key={environment ?? ''} environment={environment} />
}

function Approvals({ environment }: { readonly environment: string | undefined }) {
  const [view, set] = useQueryStates(PARSERS)
  const waiting = useWaiting(environment)
  const queue = waiting.queue ?? []
  const open = queue.filter(({ isOver }) => !isOver)
  // After a decision, the next call takes over, not the first one.
  const from = queue.findIndex(({ call }) => call.id === view.call)
  const chosen = queue.slice(Math.max(0, from)).find(({ isOver }) => !isOver) ?? open.at(-1)
  const selected = chosen?.call.id ?? null
  const [asked, setAsked] = useState<{ readonly id: string; readonly decision: Decision } | null>(
    null,
  )
  const deciding = queue.find(({ call }) => call.id === asked?.id)?.call
  const list = useRef<HTMLUListElement>(null)
  const select = (id: string) => void set({ call: id })
  const show = (one: QueuedCall | undefined) => {
    if (one === undefined) return
    select(one.call.id)
    const card = list.current?.querySelector(`[data-call="${one.call.id}"]`)
    card?.scrollIntoView({ block: 'nearest' })
  }
  const move = (by: 1 | -1) => {
    const at = open.findIndex(({ call }) => call.id === selected)
    show(open[Math.max(0, Math.min(open.length - 1, at + by))])
  }
  const go = useGo()
  const openEvent = (one: QueuedCall | undefined) => {
    if (one !== undefined) go(`/sessions/${one.call.sessionId}?e=${one.call.seq}`)
  }
  // The card's buttons show why an action is not allowed.
  const right = useCallRight(chosen?.call.environment ?? '')
  const ask = (id: string, decision: Decision) => {
    select(id)
    setAsked({ id, decision })
  }
  const press = (decision: Decision) => {
    if (chosen !== undefined && chosen.call.input !== null && right.isAllowed)
      ask(chosen.call.id, decision)
  }
  usePageKeys('approvals', [
    ...listKeys({
      noun: 'call',
      move,
      filter: focusFilter,
      first: () => show(open[0]),
      last: () => show(open.at(-1)),
      open: () => openEvent(chosen),
      linked: () => linkedCall(chosen),
    }),
    { keys: 'a', shown: 'a', does: 'approve…', run: () => press('approved') },
    { keys: 'd', shown: 'd', does: 'deny…', run: () => press('denied') },
  ])
  const over = queue.length - open.length
  return (
    <>
      <PageHeader
        title="Call approvals"
        facts={
          <p role="status">
            {waiting.queue === undefined ? (
              '\u00a0'
            ) : (
              <Waiting shown={open.length} total={waiting.total} oldest={open[0]} />
            )}
          </p>
        }
        actions={
          <>
            {over === 0 ? null : (
              <Button onClick={waiting.tidy}>
                Remove {countText(over)} that {over === 1 ? 'is' : 'are'} over
              </Button>
            )}
            <NotifyButton />
          </>
        }
      />
      <div className="flex flex-col gap-4 p-4">
        <Queue waiting={waiting} selected={selected} list={list} onDecide={ask} />
        <SettledList
          filter={{
            ...omitUndefined({ environment, kind: view.kind ?? undefined }),
          }}
          onKind={(kind) => void set({ kind })}
          shown={view.call}
        />
      </div>
      {asked === null || deciding === undefined ? null : (
        <DecideDialog
          key={`${asked.id} ${asked.decision}`}
          call={deciding}
          decision={asked.decision}
          onClose={() => setAsked(null)}
        />
      )}
    </>
  )
}

function linkedCall(chosen: QueuedCall | undefined): Linked {
  if (chosen === undefined) return openPage()
  const { id, tool } = chosen.call
  return linkedAt(`/call-approvals?call=${id}`, `Approval of ${tool}`)
}

function Waiting({
  shown,
  total,
  oldest,
}: {
  readonly shown: number
  readonly total: number
  /** Undefined: no shown call waits. */
  readonly oldest: QueuedCall | undefined
}) {
  if (oldest === undefined) return 'No calls are waiting for approval.'
  if (total === 0) return 'Only calls of the demo are waiting for approval.'
  return (
    <>
      {plural(total, 'call')} {total === 1 ? 'waits' : 'wait'} for approval,{' '}
      {total === 1 ? '' : 'the first '}since{' '}
      <Timestamp at={oldest.call.requestedAt} style="second" />
      {total > shown ? `; the ${countText(shown)} longest-waiting are shown.` : '.'}
    </>
  )
}

function Queue({
  waiting: { queue, error, retry },
  selected,
  list,
  onDecide,
}: {
  readonly waiting: ReturnType<typeof useWaiting>
  readonly selected: string | null
  readonly list: RefObject<HTMLUListElement | null>
  readonly onDecide: (id: string, decision: Decision) => void
}) {
  if (queue === undefined) {
    if (error === null) return <SkeletonRows />
    return <ErrorState what="The queue could not be loaded." why={error} onRetry={retry} />
  }
  if (queue.length === 0) return <Nothing />
  return (
    <ul ref={list} aria-label="Waiting calls" className="flex flex-col gap-3">
      {queue.map((queued: QueuedCall) => {
        const { id } = queued.call
        return (
          <li key={id} data-call={id} aria-current={id === selected ? 'true' : undefined}>
            <WaitingCard
              queued={queued}
              isSelected={id === selected}
              onDecide={(decision) => onDecide(id, decision)}
            />
          </li>
        )
      })}
    </ul>
  )
}

function Nothing() {
  return (
    <EmptyState
      title="The queue is empty."
      action={<LinkButton href="/configs">Open configs</LinkButton>}
    >
      Calls appear here when a rule of the type <code>approval</code> requires a decision. The agent
      waits for it.
    </EmptyState>
  )
}
