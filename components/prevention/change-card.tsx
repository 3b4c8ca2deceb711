'use client'

import { countText, plural } from '@signalbox/core/analysis'
import { useMutation } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { RuleJson } from '@/components/configs/rule-json.tsx'
import { configPath } from '@/components/paths/config-path.ts'
import { SessionLinks } from '@/components/sessions/session-links.tsx'
import { useRight } from '@/components/shell/use-right.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import { StatusBadge } from '@/components/ui/status-badge.tsx'
import { toast } from '@/components/ui/toast.tsx'
import { Words } from '@/components/ui/words.tsx'
import type { FoundChange } from '@/server/prevention/preventions.sql.ts'

const OUTCOME = {
  denied: ['passed', 'Refuses this call'],
  blocked: ['passed', 'Blocks this stop'],
  waits: ['waiting', 'Asks a reviewer'],
} as const

interface ChangeProps {
  readonly change: FoundChange
  /** Other calls and stops that are marked as bad. */
  readonly otherBad: number
  /** Null: it cannot be taken. */
  readonly take: { readonly id: string; readonly candidate: number } | null
}

export function ChangeCard({ change, otherBad, take }: ChangeProps) {
  const { sentence, evidence, outcome, alsoStops, denies, denied, faults = [] } = change
  const [status, word] = OUTCOME[outcome]
  // Changes that cannot be taken stand under a heading of their own.
  const Heading = take === null ? 'h3' : 'h2'
  return (
    <article className="flex flex-col gap-2 rounded-card border border-border bg-surface p-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <StatusBadge status={status}>{word}</StatusBadge>
        {otherBad === 0 ? null : (
          <span className="text-small text-text-2">
            {`also ${countText(alsoStops)} of ${plural(otherBad, 'other')} marked as bad`}
          </span>
        )}
      </div>
      <Heading className="break-words font-medium">
        <Words text={`${sentence}.`} />
      </Heading>
      <p className="text-text-2">
        <Words text={evidence} />
      </p>
      {faults.map((fault) => (
        <p key={fault} className="text-caution-fg">
          <Words text={fault} />
        </p>
      ))}
      {denies === 0 ? null : (
        <p className="text-small">
          Good sessions in which it would have refused something:{' '}
          <SessionLinks ids={denied} total={denies} />
        </p>
      )}
      <Rule edit={change.edit} />
      {take === null ? null : <TakeButtons take={take} edit={change.edit} />}
    </article>
  )
}

function Rule({ edit }: Pick<FoundChange, 'edit'>) {
  if (edit.kind === 'enforce') return null
  const word = edit.kind.startsWith('add') ? 'Added' : 'Changed'
  return (
    <RuleJson title={`${word} rule as JSON`} rule={'policy' in edit ? edit.policy : edit.checker} />
  )
}

function TakeButtons({
  take,
  edit,
}: Pick<FoundChange, 'edit'> & { readonly take: NonNullable<ChangeProps['take']> }) {
  const trpc = useTRPC()
  const router = useRouter()
  const right = useRight('editor')
  const mutation = useMutation(
    trpc.prevention.take.mutationOptions({
      onError: ({ message }) => toast(message),
      onSuccess: ({ ns, key, pinned }) => {
        const more = pinned === null ? '' : ' and pinned the decision as a case'
        toast(`Added the change to the draft${more}.`)
        router.push(`${configPath(ns, key)}/edit`)
      },
    }),
  )
  const button = { ...right, disabled: mutation.isPending }
  return (
    <div className="flex flex-wrap gap-2">
      <ReasonedButton
        {...button}
        variant={take.candidate === 1 ? 'primary' : 'secondary'}
        onClick={() => mutation.mutate({ ...take, mode: 'enforce' })}
      >
        Add to draft
      </ReasonedButton>
      {edit.kind === 'add_policy' ? (
        <ReasonedButton {...button} onClick={() => mutation.mutate({ ...take, mode: 'shadow' })}>
          Add in shadow mode
        </ReasonedButton>
      ) : null}
    </div>
  )
}
