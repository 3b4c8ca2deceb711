'use client'
// Texts that wait to be approved: read the difference, then say yes, or no and why.
import { countText } from '@signalbox/core/analysis'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { parseAsString, useQueryState } from 'nuqs'
import { useState } from 'react'
import { JsonDifference } from '@/components/kit/diff/json-difference.tsx'
import { useReleaseRight } from '@/components/shell/release-right.ts'
import { useTRPC, useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { Field, Textarea } from '@/components/ui/input.tsx'
import { ErrorLine } from '@/components/ui/states.tsx'
import { StatusText } from '@/components/ui/status-badge.tsx'
import { Ago } from '@/components/ui/time.tsx'
import type { WaitingApproval } from '@/server/releases/release-approvals.ts'
import { LateTextChanges } from './late-text-changes.tsx'

function idOf({ environment, ns, key }: WaitingApproval): string {
  return `${environment}:${ns}/${key}`
}

export function WaitingReleaseApprovals({
  waiting,
}: {
  readonly waiting: readonly WaitingApproval[]
}) {
  const [open, setOpen] = useQueryState('approval', parseAsString)
  const shown = waiting.find((each) => idOf(each) === open)
  const mine = waiting.filter(({ mayDecide }) => mayDecide).length
  return (
    <Card>
      <CardHeader
        title="Approvals"
        aside={
          mine === 0
            ? 'none waits for you'
            : `${countText(mine)} ${mine === 1 ? 'waits' : 'wait'} for you`
        }
      />
      <ul>
        {waiting.map((each) => (
          <li
            key={idOf(each)}
            className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-1 border-border border-b px-3 py-1 last:border-b-0"
          >
            <span className="min-w-0 flex-1 basis-72">
              <code className="font-medium">
                {each.ns}/{each.key}
              </code>{' '}
              {each.version === null ? 'draft' : `v${each.version}`} → {each.environment}
              <span className="text-text-2">
                {' '}
                · asked by {each.requester ?? 'somebody'} <Ago at={each.requestedAt} />
              </span>
            </span>
            <StatusText status={each.isCurrent ? 'incomplete' : 'ended'}>
              {each.isCurrent ? each.sentence : 'The text was edited since'}
            </StatusText>
            <Button data-row={idOf(each)} onClick={() => void setOpen(idOf(each))}>
              Review
            </Button>
          </li>
        ))}
      </ul>
      {shown !== undefined && (
        <Decision key={shown.digest} asked={shown} onClose={() => void setOpen(null)} />
      )}
    </Card>
  )
}

function useDecide(asked: WaitingApproval, onClose: () => void) {
  const trpc = useTRPC()
  const client = useTRPCClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (answer: { decision: 'approved' | 'refused'; note: string }) => {
      const { ns, key, environment, digest, live } = asked
      const expectedLive = live?.number ?? null
      await client.releaseApprovals.decide.mutate({
        ...{ ns, key, environment, digest, expectedLive, decision: answer.decision },
        note: answer.note.trim() === '' ? null : answer.note,
      })
    },
    onSuccess: onClose,
    onSettled: async () => {
      await queries.invalidateQueries({ queryKey: trpc.releaseApprovals.pathKey() })
      await queries.invalidateQueries({ queryKey: trpc.releases.work.queryKey() })
    },
  })
}

function Decision({
  asked,
  onClose,
}: {
  readonly asked: WaitingApproval
  readonly onClose: () => void
}) {
  const right = useReleaseRight(asked.environment)
  const [note, setNote] = useState('')
  const decide = useDecide(asked, onClose)
  const whyNot = asked.whyNot ?? right.reason
  const isBlocked = whyNot !== null || !right.isAllowed || decide.isPending
  const runs = asked.live === null ? 'nothing' : `v${asked.live.number}`
  return (
    <Dialog
      open
      wide
      onOpenChange={onClose}
      title={`Approve ${asked.ns}/${asked.key} for ${asked.environment}?`}
      description={`${asked.version === null ? 'Draft' : `v${asked.version}`}, typed last by ${asked.editor ?? 'a former member'}; ${asked.environment} runs ${runs}`}
      actions={
        <>
          <Button
            disabled={isBlocked || note.trim() === ''}
            title={note.trim() === '' ? 'Say why first' : undefined}
            onClick={() => decide.mutate({ decision: 'refused', note })}
          >
            Refuse
          </Button>
          <Button
            variant="primary"
            disabled={isBlocked}
            onClick={() => decide.mutate({ decision: 'approved', note })}
          >
            Approve this text
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {asked.note !== null && <p className="break-words">“{asked.note}”</p>}
        <LateTextChanges
          from={asked.live?.text ?? null}
          to={asked.text}
          heading={`Changes in ${asked.environment}`}
        />
        <JsonDifference
          before={asked.live?.text ?? ''}
          after={asked.text}
          labels={[runs, asked.version === null ? 'Draft' : `v${asked.version}`]}
        />
        <p className="text-small text-text-2">
          {asked.sentence}. Content <code>{asked.digest.slice(7, 15)}…</code>
        </p>
        <Field label="Note" hint="Needed to refuse: what should be mended">
          {(control) => (
            <Textarea
              {...control}
              rows={2}
              maxLength={2_000}
              value={note}
              onChange={({ currentTarget }) => setNote(currentTarget.value)}
            />
          )}
        </Field>
        {whyNot !== null && <p className="text-text-2">{whyNot}</p>}
        <ErrorLine>{decide.error?.message}</ErrorLine>
      </div>
    </Dialog>
  )
}
