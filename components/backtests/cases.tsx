'use client'
import { useMutation } from '@tanstack/react-query'
import { PinOff } from 'lucide-react'
import { useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import { IconButton } from '@/components/ui/button.tsx'
import { Link } from '@/components/ui/link.tsx'
import { Select } from '@/components/ui/select.tsx'
import { EmptyState } from '@/components/ui/states.tsx'
import { StatusText } from '@/components/ui/status-badge.tsx'
import { toast } from '@/components/ui/toast.tsx'
import type { CaseResult } from '@/server/backtests/backtest-list.sql.ts'
import type { PinnedCase } from '@/server/backtests/pinned-case-list.sql.ts'
import { VerdictText } from './verdict-text.tsx'
import { reasonText } from './words.ts'

export interface CaseAccess {
  readonly mayEdit: boolean
  /** Reason why the user may not edit; null: the user may. */
  readonly why: string | null
}

export function Cases({
  cases,
  results,
  access,
}: {
  readonly cases: readonly PinnedCase[]
  readonly results: readonly CaseResult[]
  readonly access: CaseAccess
}) {
  if (cases.length === 0) {
    return (
      <EmptyState title="No pinned cases.">
        Open a stop or a denied call and choose “Pin as test case”. Every backtest then checks
        whether it still gets the expected decision.
      </EmptyState>
    )
  }
  return (
    <ul aria-label="Pinned cases" className="bg-surface">
      {cases.map((pinned) => (
        <CaseRow
          key={pinned.id}
          pinned={pinned}
          result={results.find(({ caseId }) => caseId === pinned.id) ?? null}
          access={access}
        />
      ))}
    </ul>
  )
}

function CaseRow({
  pinned,
  result,
  access,
}: {
  readonly pinned: PinnedCase
  readonly result: CaseResult | null
  readonly access: CaseAccess
}) {
  const { kind, sessionId, seq, name, note, author, importedFrom, isSessionStored } = pinned
  const gone = importedFrom === null ? 'session removed' : 'session not stored here'
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 border-border border-b px-4 py-2 last:border-b-0">
      <div className="min-w-0 flex-1 basis-64">
        <p className="break-words font-medium">{name}</p>
        <p className="text-small text-text-2">
          {kind === 'stop' ? 'stop' : 'call'}{' '}
          {isSessionStored ? (
            <Link
              className="font-mono text-link text-mono"
              href={`/sessions/${sessionId}?e=${seq}`}
            >
              #{seq}
            </Link>
          ) : (
            `#${seq}, ${gone}`
          )}{' '}
          · {importedFrom === null ? 'pinned' : `imported from ${importedFrom}`} by{' '}
          {author ?? 'a former member'}
          {note === null || note === '' ? '' : ` · ${note}`}
        </p>
      </div>
      <CaseVerdictText pinned={pinned} result={result} />
      <CaseControls pinned={pinned} access={access} />
    </li>
  )
}

function CaseVerdictText({
  pinned,
  result,
}: {
  readonly pinned: PinnedCase
  readonly result: CaseResult | null
}) {
  const verdict = result?.verdict ?? null
  if (verdict === null) return <span className="text-small text-text-2">not run yet</span>
  if (verdict === 'unknown') {
    const reason = result?.reason ?? null
    return (
      <span className="max-w-64 text-small text-text-2">
        <StatusText status="not_evaluated">cannot be replayed</StatusText>
        {reason !== null && ` ${reasonText(reason)}`}
      </span>
    )
  }
  if (verdict === pinned.expected) return <StatusText status="passed">as expected</StatusText>
  return (
    <span className="inline-flex items-center gap-1.5">
      <StatusText status="warning">not as expected:</StatusText> <VerdictText verdict={verdict} />
    </span>
  )
}

function CaseControls({
  pinned,
  access,
}: {
  readonly pinned: PinnedCase
  readonly access: CaseAccess
}) {
  const client = useTRPCClient()
  const { id, kind, expected, note } = pinned
  const onError = (error: Error): void => {
    toast.error(error.message)
  }
  const change = useMutation({
    mutationFn: (next: PinnedCase['expected']) =>
      client.backtests.changeCase.mutate({ id, expected: next, note }),
    onError,
  })
  const unpin = useMutation({ mutationFn: () => client.backtests.unpin.mutate({ id }), onError })
  const options =
    kind === 'stop'
      ? ([
          { value: 'blocked', label: 'should be blocked' },
          { value: 'allowed', label: 'should be allowed' },
        ] as const)
      : ([
          { value: 'denied', label: 'should be denied' },
          { value: 'allowed', label: 'should be allowed' },
        ] as const)
  return (
    <span title={access.why ?? undefined} className="inline-flex items-center gap-1">
      <Select<PinnedCase['expected']>
        label={`Expected verdict of ${pinned.name}`}
        value={expected}
        options={options}
        onChange={(next) => change.mutate(next)}
        disabled={!access.mayEdit || change.isPending}
        className="w-48"
      />
      <IconButton
        label={`Unpin ${pinned.name}`}
        disabled={!access.mayEdit || unpin.isPending}
        onClick={() => unpin.mutate()}
      >
        <PinOff size={14} aria-hidden />
      </IconButton>
    </span>
  )
}
