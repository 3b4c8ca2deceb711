'use client'
// Replays the rule over recorded sessions while it is typed.
import { plural, timesText } from '@signalbox/core/analysis'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { JsonPath } from '@/components/kit/diff/json-edit.ts'
import { objectAt, stringAt, valueAt } from '@/components/kit/diff/json-values.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { shortId } from '@/components/ui/copy.tsx'
import { Link } from '@/components/ui/link.tsx'
import { ErrorState } from '@/components/ui/states.tsx'
import { StatusBadge } from '@/components/ui/status-badge.tsx'
import { usePaused } from '@/components/ui/use-paused.ts'
import type { TriedKind, TriedRule } from '@/server/backtests/try-rule.ts'
import { useForm } from './form-context.tsx'

const PAUSE_MS = 400

interface Tried {
  readonly kind: TriedKind
  readonly path: JsonPath
}

export function RuleTrial(rule: Tried) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="min-h-6 text-small text-text-2">Try it on recorded sessions</summary>
      {isOpen && <Trial {...rule} />}
    </details>
  )
}

function Trial({ kind, path }: Tried) {
  const { value } = useForm()
  const trpc = useTRPC()
  const [ns, key] = [stringAt(value, ['ns']), stringAt(value, ['key'])]
  const text = usePaused(JSON.stringify(valueAt(value, path) ?? null), PAUSE_MS)
  const { data, error, refetch } = useQuery({
    ...trpc.backtests.tryRule.queryOptions({
      ns,
      key,
      kind,
      text,
      aliases: objectAt(value, ['aliases']),
    }),
    placeholderData: keepPreviousData,
  })
  if (error !== null && data === undefined) {
    return (
      <ErrorState what="The rule could not be tried." why={error} onRetry={() => void refetch()} />
    )
  }
  return (
    <div className="mt-1 flex flex-col gap-1.5 text-small">
      <p role="status" className="text-text-2">
        {data === undefined ? 'Trying…' : describeTrial(kind, data)}
      </p>
      {data !== undefined && data !== null && data.events.length > 0 && (
        <ul aria-label="Tried events" className="flex flex-col gap-0.5">
          {data.events.map(({ session, seq, tool, result, sentence }) => (
            <li key={`${session} ${seq}`} className="flex min-w-0 items-baseline gap-2">
              <StatusBadge status={STATUS[kind][result]} />
              {tool === null ? (
                <span className="shrink-0">Stop</span>
              ) : (
                <code className="shrink-0">{tool}</code>
              )}
              <span className="min-w-0 flex-1 break-words text-text-2">{sentence}</span>
              <Link
                href={`/sessions/${session}?e=${seq}`}
                className="shrink-0 text-link hover:underline"
              >
                <code>{shortId(session)}</code> #{seq}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

const OTHERS = { passes: 'allowed', error: 'not_evaluated', unknown: 'unknown' } as const
const STATUS = {
  policy: { ...OTHERS, acts: 'denied', error: 'error' },
  checker: { ...OTHERS, acts: 'blocked' },
  feedback_provider: { ...OTHERS, acts: 'info' },
} as const

function describeTrial(kind: TriedKind, trial: TriedRule | null): string {
  if (trial === null) return 'Complete the rule to try it.'
  const { sessions, counts } = trial
  if (sessions === 0) return 'No session of this prompt is recorded yet.'
  const result = describeActs(kind, counts)
  const failed =
    counts.error === 0
      ? ''
      : kind === 'feedback_provider'
        ? `; it could not be evaluated ${timesText(counts.error)}`
        : `, ${counts.error} of them because it could not be evaluated`
  const unknown =
    counts.unknown === 0 ? '' : ` ${counts.unknown} cannot be known: a fact was not recorded.`
  return `${result} in the newest ${plural(sessions, 'session')}${failed}.${unknown}`
}

function describeActs(kind: TriedKind, counts: TriedRule['counts']): string {
  const all = counts.acts + counts.passes + counts.error + counts.unknown
  // A policy or check that cannot be evaluated refuses.
  const refused = counts.acts + counts.error
  switch (kind) {
    case 'policy':
      return `Would have denied ${refused} of ${plural(all, 'call')} that it judges`
    case 'checker':
      return `Would have blocked ${refused} of ${plural(all, 'stop')}`
    case 'feedback_provider':
      return `Would have given feedback ${timesText(counts.acts)}`
  }
}
