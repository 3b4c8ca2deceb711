'use client'

import { parseAsString, useQueryState } from 'nuqs'
import { Button } from '@/components/ui/button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { lazyDialog } from '@/components/ui/lazy-popup.tsx'
import { StatusText } from '@/components/ui/status-badge.tsx'
import { Ago } from '@/components/ui/time.tsx'
import type { WaitingApproval } from '@/server/releases/release-approvals.ts'
import { waitingText } from './waiting-words.ts'

const DecisionDialog = lazyDialog(() =>
  import('./decision-dialog.tsx').then((module) => module.DecisionDialog),
)

function toApprovalKey({ environment, ns, key }: WaitingApproval): string {
  return `${environment}:${ns}/${key}`
}

export function WaitingReleaseApprovals({
  waiting,
}: {
  readonly waiting: readonly WaitingApproval[]
}) {
  const [open, setOpen] = useQueryState('approval', parseAsString)
  const shown = waiting.find((each) => toApprovalKey(each) === open)
  return (
    <Card>
      <CardHeader title="Release approvals" aside={waitingText(waiting)} />
      <ul>
        {waiting.map((each) => (
          <li
            key={toApprovalKey(each)}
            className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-1 border-border border-b px-3 py-1 last:border-b-0"
          >
            <span className="min-w-0 flex-1 basis-72">
              <code className="font-medium">
                {each.ns}/{each.key}
              </code>{' '}
              {each.version === null ? 'draft' : `v${each.version}`} → {each.environment}
              <span className="text-text-2">
                {' '}
                · requested by {each.requester ?? 'a former member'} <Ago at={each.requestedAt} />
              </span>
            </span>
            <StatusText status={each.isCurrent ? 'incomplete' : 'ended'}>
              {each.isCurrent ? each.sentence : 'The text was edited after the request'}
            </StatusText>
            <Button
              data-row={toApprovalKey(each)}
              onClick={() => void setOpen(toApprovalKey(each))}
            >
              Review
            </Button>
          </li>
        ))}
      </ul>
      {shown !== undefined && (
        <DecisionDialog key={shown.digest} asked={shown} onClose={() => void setOpen(null)} />
      )}
    </Card>
  )
}
