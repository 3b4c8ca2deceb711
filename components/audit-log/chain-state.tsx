'use client'
// Integrity of the audit log: state of its hash chain at the last check.
import { countText, plural } from '@signalbox/core/analysis'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Link } from '@/components/ui/link.tsx'
import { ErrorLine } from '@/components/ui/states.tsx'
import { StatusText } from '@/components/ui/status-badge.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { ChainState } from '@/server/audit-log/audit-chain.sql.ts'

const FAULT = {
  changed: 'the entry was modified',
  removed: 'the entry was deleted',
  gap: 'an entry before it was deleted',
  cut: 'entries that were verified before are missing or were rewritten',
  unchained: 'it was added outside the chain',
} as const satisfies Record<NonNullable<ChainState['broken']>['reason'], string>

const ASK_AGAIN_MS = 1_000

export function ChainFacts() {
  const trpc = useTRPC()
  const { data } = useQuery(trpc.auditLog.chain.queryOptions())
  if (data === undefined) return '\u00a0'
  if (data === null) return 'No entries.'
  const { head, checkedAt, checkedPosition, broken } = data
  const entries = plural(head, 'entry')
  if (checkedAt === null) return `${entries}, not verified yet.`
  return (
    <span>
      {entries}
      {broken !== null
        ? '; a fault was found on'
        : checkedPosition === head
          ? ', verified on'
          : `; ${countText(checkedPosition)} verified on`}{' '}
      <Timestamp at={checkedAt} style="second" />.
    </span>
  )
}

export function ChainLine() {
  const trpc = useTRPC()
  // Set while a check is requested; `after`: time of the previous check, null: none.
  const [asked, setAsked] = useState<{ readonly after: number | null } | null>(null)
  const isStill = (state: ChainState | null | undefined): boolean =>
    asked !== null && (state?.checkedAt ?? null) === asked.after
  const chain = useQuery({
    ...trpc.auditLog.chain.queryOptions(),
    refetchInterval: ({ state: { data } }) => (isStill(data) ? ASK_AGAIN_MS : false),
  })
  const check = useMutation(trpc.auditLog.check.mutationOptions())
  const state = chain.data ?? null
  if (state === null) return null
  const isChecking = check.isPending || isStill(state)
  const checkNow = (): void => {
    check.mutate(undefined, { onSuccess: () => setAsked({ after: state.checkedAt }) })
  }
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-border border-b px-3 py-2">
      <p className="min-w-0" data-testid="chain">
        <ChainText state={state} />
      </p>
      <Button onClick={checkNow} disabled={isChecking}>
        {isChecking ? 'Checking…' : 'Check now'}
      </Button>
      <ErrorLine className="text-small">{check.error?.message}</ErrorLine>
      <p className="basis-full text-small text-text-2">
        Newest of {plural(state.head, 'entry')}: <code className="break-all">{state.headHash}</code>
        . Store this hash somewhere else: it proves every entry before it.
      </p>
    </div>
  )
}

function ChainText({ state }: { readonly state: ChainState }) {
  const { broken, checkedAt, head, checkedPosition } = state
  if (checkedAt === null) return <StatusText status="pending">Not verified yet</StatusText>
  if (broken === null) {
    const later = head - checkedPosition
    return (
      <span className="inline-flex flex-wrap items-center gap-x-1.5">
        <StatusText status="verified">Verified up to</StatusText>
        <Timestamp at={checkedAt} style="second" />
        {later > 0 && (
          <span className="text-text-2">
            · {plural(later, 'entry')} since; the server checks every hour
          </span>
        )}
      </span>
    )
  }
  return (
    <span className="inline-flex flex-wrap items-center gap-x-1.5" role="alert">
      <StatusText status="diverged">Broken at</StatusText>
      {broken.entryId === null || broken.reason === 'removed' ? (
        <>place {countText(broken.position)}</>
      ) : (
        <Link className="text-link" href={`/settings/audit-log/${broken.entryId}`}>
          entry {countText(broken.position)}
        </Link>
      )}
      <span>
        : {FAULT[broken.reason]}. Found <Timestamp at={checkedAt} style="second" />.
      </span>
    </span>
  )
}
