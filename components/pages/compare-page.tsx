'use client'

import { countText, plural } from '@signalbox/core/analysis'
import { useQuery } from '@tanstack/react-query'
import { parseAsString, useQueryStates } from 'nuqs'
import { useState } from 'react'
import { ComparedSteps } from '@/components/sessions/page/compare/compared-steps.tsx'
import { useComparedHead } from '@/components/sessions/page/compare/use-compared.ts'
import { PageHeader } from '@/components/shell/page-header.tsx'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { shortId } from '@/components/ui/copy.tsx'
import { Link } from '@/components/ui/link.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { SessionHead } from '@/server/sessions/session-head.sql.ts'

export function ComparePage() {
  const [{ a, b }, set] = useQueryStates({
    a: parseAsString.withDefault(''),
    b: parseAsString.withDefault(''),
  })
  const isWhole = a !== '' && b !== ''
  const [place, setPlace] = useState<HTMLElement | null>(null)
  return (
    <div className="flex h-[calc(100dvh-3.5rem)] min-h-0 flex-col sm:h-full">
      <PageHeader
        above={
          <Link href="/sessions" className="text-link">
            Sessions
          </Link>
        }
        title="Compare two sessions"
        facts={
          isWhole ? (
            // The comparison of the events writes into it.
            <p ref={setPlace} role="status" className="min-h-[1lh]" />
          ) : (
            `${a === '' && b === '' ? '0 of 2 sessions are' : '1 of 2 sessions is'} chosen.`
          )
        }
        {...(isWhole
          ? {
              actions: <Button onClick={() => void set({ a: b, b: a })}>Swap A and B</Button>,
            }
          : {})}
      />
      {isWhole ? <Both key={`${a} ${b}`} {...{ a, b, place }} /> : <Choose a={a === '' ? b : a} />}
    </div>
  )
}

interface BothProps {
  readonly a: string
  readonly b: string
  /** Element for the sentence about both; null: not rendered yet. */
  readonly place: HTMLElement | null
}

function Both({ a, b, place }: BothProps) {
  const one = useComparedHead(a)
  const other = useComparedHead(b)
  if (one.head !== undefined && other.head !== undefined) {
    return <Heads a={one.head} b={other.head} place={place} />
  }
  const failed = one.error === null ? other : one
  if (failed.error === null) return <SkeletonRows />
  return (
    <ErrorState
      what="One of the sessions could not be loaded."
      why={failed.error}
      onRetry={failed.retry}
    />
  )
}

interface HeadsProps extends Pick<BothProps, 'place'> {
  readonly a: SessionHead
  readonly b: SessionHead
}

function Heads({ a, b, place }: HeadsProps) {
  const removed = [a, b].find((head) => head.removed !== null)
  if (removed !== undefined) {
    return (
      <EmptyState title={`The events of ${removed.id} were removed by the retention rule.`}>
        <Link className="text-link" href={`/sessions/${removed.id}`}>
          Remaining data
        </Link>
      </EmptyState>
    )
  }
  return <ComparedSteps a={a} b={b} place={place} />
}

/** At most one of the two sessions is known. */
function Choose({ a }: { readonly a: string }) {
  if (a === '') {
    return (
      <EmptyState title="No sessions are chosen.">
        Select two sessions in the{' '}
        <Link className="text-link underline" href="/sessions">
          list
        </Link>{' '}
        (x on the keyboard), or open one session and choose “Compare”.
      </EmptyState>
    )
  }
  return <ChooseOther a={a} />
}

function ChooseOther({ a }: { readonly a: string }) {
  const { head, error, retry } = useComparedHead(a)
  if (head !== undefined) return <OtherSessions head={head} />
  if (error === null) return <SkeletonRows />
  return <ErrorState what="The session could not be loaded." why={error} onRetry={retry} />
}

function OtherSessions({ head }: { readonly head: SessionHead }) {
  const trpc = useTRPC()
  const { ns, key } = head
  const query = useQuery(
    trpc.sessions.list.queryOptions({ filter: { prompt: { ns, key } }, limit: 50 }),
  )
  if (query.data === undefined) {
    if (query.error === null) return <SkeletonRows />
    return (
      <ErrorState
        what="The sessions of this prompt could not be loaded."
        why={query.error}
        onRetry={() => void query.refetch()}
      />
    )
  }
  const others = query.data.rows.filter(({ id }) => id !== head.id)
  if (others.length === 0) {
    return <EmptyState title={`${ns}/${key} has no other session to compare with.`} />
  }
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <p className="px-4 py-3">
        Compare <code className="font-mono text-mono">{shortId(head.id)}</code> of {ns}/{key} with
        one of its newest sessions:
      </p>
      <ul className="border-border border-t bg-surface">
        {others.map((other) => (
          <li key={other.id} className="border-border border-b">
            <Link
              href={`/sessions/compare?a=${head.id}&b=${other.id}`}
              className="flex min-h-9 flex-wrap items-center gap-x-4 px-4 py-1 hover:bg-row-hover"
            >
              <span className="font-mono text-link text-mono">{shortId(other.id)}</span>
              <span className="text-small text-text-2">
                started <Timestamp at={other.startedAt} style="second" />
              </span>
              <span className="text-small text-text-2">
                {plural(other.calls, 'call')}, {countText(other.denied)} denied,{' '}
                {plural(other.stopsBlocked, 'stop')} blocked
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </div>
  )
}
