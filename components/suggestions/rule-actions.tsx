'use client'

import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { configPath } from '@/components/paths/config-path.ts'
import { useRight } from '@/components/shell/use-right.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { lazyDialog } from '@/components/ui/lazy-popup.tsx'
import { Link } from '@/components/ui/link.tsx'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import { StatusBadge } from '@/components/ui/status-badge.tsx'
import type { LearnPlace } from '@/server/suggestions/learn-runs.sql.ts'
import type { SuggestedRule } from '@/server/suggestions/suggestions.ts'
import { isCheck } from './is-check.ts'
import { useSuggestionOptions } from './use-suggestions.ts'

const DismissDialog = lazyDialog(() =>
  import('./dismiss-dialog.tsx').then((module) => module.DismissDialog),
)

interface Props {
  readonly place: LearnPlace
  readonly rule: SuggestedRule
  /** First of the page that can be added. */
  readonly isFirst: boolean
}

export function RuleActions({ place, rule, isFirst }: Props) {
  const trpc = useTRPC()
  const right = useRight('editor')
  const [isDismissing, setDismissing] = useState(false)
  const take = useMutation(trpc.suggestions.take.mutationOptions(useSuggestionOptions()))
  const button = { ...right, disabled: take.isPending }
  const variant = isFirst ? 'primary' : 'secondary'
  const add = (mode: 'shadow' | 'enforce') => take.mutate({ ...place, ids: [rule.id], mode })
  if (rule.state === 'taken') {
    return (
      <div className="flex flex-wrap items-center gap-3">
        <StatusBadge status="passed">In the draft</StatusBadge>
        <Link className="text-link underline" href={`${configPath(place.ns, place.key)}/edit`}>
          Open the editor
        </Link>
      </div>
    )
  }
  return (
    <div className="flex flex-wrap items-center gap-2">
      {isCheck(rule) ? (
        <ReasonedButton {...{ ...button, variant }} onClick={() => add('enforce')}>
          Add to draft
        </ReasonedButton>
      ) : (
        <ReasonedButton {...{ ...button, variant }} onClick={() => add('shadow')}>
          Add to draft in shadow
        </ReasonedButton>
      )}
      {isCheck(rule) || rule.kind === 'file_facts' ? null : (
        <ReasonedButton {...button} onClick={() => add('enforce')}>
          Add enforced
        </ReasonedButton>
      )}
      <ReasonedButton {...button} variant="quiet" onClick={() => setDismissing(true)}>
        Dismiss…
      </ReasonedButton>
      {isCheck(rule) ? (
        <span className="text-small text-text-2">
          A check has no shadow mode: it acts from the release on.
        </span>
      ) : null}
      {isDismissing ? (
        <DismissDialog place={place} rule={rule} onClose={() => setDismissing(false)} />
      ) : null}
    </div>
  )
}
