'use client'

import { useMutation } from '@tanstack/react-query'
import { parseAsString, useQueryState } from 'nuqs'
import { configPath } from '@/components/paths/config-path.ts'
import { useConfigRights } from '@/components/shell/use-config-rights.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button, LinkButton } from '@/components/ui/button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { lazyDialog } from '@/components/ui/lazy-popup.tsx'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import { ErrorLine } from '@/components/ui/states.tsx'
import { type Status, StatusText } from '@/components/ui/status-badge.tsx'
import { Ago } from '@/components/ui/time.tsx'
import type { RequestedRelease } from '@/server/releases/release-approvals.ts'
import { PlanTime } from './plan-time.tsx'
import { ReleaseNow } from './release-now.tsx'
import { nameContent } from './release-text.ts'
import { isReadyToRelease, requestsText } from './requested-words.ts'
import { useRequestSettled } from './use-request-settled.ts'

const DecisionDialog = lazyDialog(() =>
  import('./decision-dialog.tsx').then((module) => module.DecisionDialog),
)

function toRequestKey({ environment, ns, key }: RequestedRelease): string {
  return `${environment}:${ns}/${key}`
}

export function RequestedReleases({
  requests,
}: {
  readonly requests: readonly RequestedRelease[]
}) {
  const [open, setOpen] = useQueryState('approval', parseAsString)
  const shown = requests.find((each) => toRequestKey(each) === open)
  return (
    <Card>
      <CardHeader title="Release approvals" aside={requestsText(requests)} />
      <ul>
        {requests.map((each) => (
          <RequestRow
            key={toRequestKey(each)}
            asked={each}
            onReview={() => void setOpen(toRequestKey(each))}
          />
        ))}
      </ul>
      {shown !== undefined && (
        <DecisionDialog key={shown.digest} asked={shown} onClose={() => void setOpen(null)} />
      )}
    </Card>
  )
}

const LOOK = {
  waiting: 'incomplete',
  refused: 'rejected',
  approved: 'passed',
} as const satisfies Record<RequestedRelease['state'], Status>

function RequestRow({
  asked,
  onReview,
}: {
  readonly asked: RequestedRelease
  readonly onReview: () => void
}) {
  const { ns, key, environment, version, plan, isCurrent, state, sentence } = asked
  return (
    <li className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-1 border-border border-b px-3 py-1 last:border-b-0">
      <span className="min-w-0 flex-1 basis-72">
        <code className="font-medium">
          {ns}/{key}
        </code>{' '}
        {nameContent(version).short} → {environment}
        <span className="text-text-2">
          {' '}
          · requested by {asked.requester ?? 'a former member'} <Ago at={asked.requestedAt} />
          {plan !== null && (
            <>
              {' · '}
              <PlanTime plan={plan} />
            </>
          )}
        </span>
      </span>
      <StatusText status={isCurrent ? LOOK[state] : 'ended'}>
        {isCurrent ? sentence : 'The text was edited after the request'}
      </StatusText>
      <NextStep asked={asked} />
      <Button data-row={toRequestKey(asked)} onClick={onReview}>
        Review
      </Button>
    </li>
  )
}

/** Beside the review: the release of what was approved, or a way out of a refusal. */
function NextStep({ asked }: { readonly asked: RequestedRelease }) {
  const { ns, key, version, isCurrent, isYourTurn, state } = asked
  if (isReadyToRelease(asked)) return <ReleaseNow asked={asked} />
  if (!isYourTurn || (isCurrent && state !== 'refused')) return null
  return (
    <>
      {version === null && <LinkButton href={`${configPath(ns, key)}/edit`}>Edit draft</LinkButton>}
      <WithdrawButton asked={asked} />
    </>
  )
}

function WithdrawButton({ asked }: { readonly asked: RequestedRelease }) {
  const { ns, key, environment } = asked
  const trpc = useTRPC()
  const { edit } = useConfigRights()
  const withdraw = useMutation(
    trpc.releaseApprovals.withdraw.mutationOptions({ onSettled: useRequestSettled() }),
  )
  return (
    <>
      <ReasonedButton
        {...edit}
        disabled={withdraw.isPending}
        aria-label={`Withdraw the request to release ${ns}/${key} to ${environment}`}
        onClick={() => withdraw.mutate({ ns, key, environment })}
      >
        Withdraw request
      </ReasonedButton>
      <ErrorLine className="text-small">{withdraw.error?.message}</ErrorLine>
    </>
  )
}
