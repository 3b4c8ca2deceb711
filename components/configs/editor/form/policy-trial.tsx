'use client'
// Replays the policy over recorded calls while it is typed.
import { plural } from '@signalbox/core/analysis'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { JsonPath } from '@/components/kit/diff/json-edit.ts'
import { stringAt, valueAt } from '@/components/kit/diff/json-values.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Link } from '@/components/ui/link.tsx'
import { ErrorState } from '@/components/ui/states.tsx'
import { StatusBadge } from '@/components/ui/status-badge.tsx'
import { usePaused } from '@/components/ui/use-paused.ts'
import type { TriedPolicy } from '@/server/backtests/try-policy.ts'
import { useForm } from './form-context.tsx'

const PAUSE_MS = 400

export function PolicyTrial({ path }: { readonly path: JsonPath }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="min-h-6 text-small text-text-2">Try it on recorded calls</summary>
      {isOpen && <Trial path={path} />}
    </details>
  )
}

function Trial({ path }: { readonly path: JsonPath }) {
  const { value } = useForm()
  const trpc = useTRPC()
  const [ns, key] = [stringAt(value, ['ns']), stringAt(value, ['key'])]
  const text = usePaused(JSON.stringify(valueAt(value, path) ?? null), PAUSE_MS)
  const { data, error, refetch } = useQuery({
    ...trpc.backtests.tryPolicy.queryOptions({ ns, key, text }),
    placeholderData: keepPreviousData,
  })
  if (error !== null && data === undefined) {
    return (
      <ErrorState
        what="The policy could not be tried."
        why={error}
        onRetry={() => void refetch()}
      />
    )
  }
  return (
    <div className="mt-1 flex flex-col gap-1.5 text-small">
      <p role="status" className="text-text-2">
        {data === undefined ? 'Trying…' : describeTrial(data)}
      </p>
      {data !== undefined && data !== null && (
        <ul aria-label="Tried calls" className="flex flex-col gap-0.5">
          {data.calls.map(({ session, seq, tool, result, sentence }) => (
            <li key={`${session} ${seq}`} className="flex min-w-0 items-baseline gap-2">
              <StatusBadge status={STATUS[result]} />
              <code className="shrink-0">{tool}</code>
              <span className="min-w-0 flex-1 break-words text-text-2">{sentence}</span>
              <Link href={`/sessions/${session}?e=${seq}`} className="text-link hover:underline">
                #{seq}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

const STATUS = { allow: 'allowed', deny: 'denied', error: 'error' } as const

function describeTrial(trial: TriedPolicy | null): string {
  if (trial === null) return 'Complete the policy to try it.'
  const { sessions, counts } = trial
  if (sessions === 0) return 'No session of this prompt is recorded yet.'
  const calls = plural(counts.allow + counts.deny + counts.error, 'call')
  const failed = counts.error === 0 ? '' : ` ${counts.error} could not be evaluated.`
  return `Would have denied ${counts.deny} of ${calls} that it judges, in the newest ${plural(sessions, 'session')}.${failed}`
}
