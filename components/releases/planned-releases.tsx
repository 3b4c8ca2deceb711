'use client'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { configPath } from '@/components/paths/config-path.ts'
import { ReleaseButton } from '@/components/shell/release-button.tsx'
import { useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import { LinkButton } from '@/components/ui/button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { lazyDialog } from '@/components/ui/lazy-popup.tsx'
import { ErrorLine } from '@/components/ui/states.tsx'
import { type Status, StatusText } from '@/components/ui/status-badge.tsx'
import { Countdown, Timestamp } from '@/components/ui/time.tsx'
import type { ListedSchedule } from '@/server/releases/schedule-list.sql.ts'
import { usePlanSettled } from './use-plan-settled.ts'

const MovePlanDialog = lazyDialog(() =>
  import('./move-plan-dialog.tsx').then((module) => module.MovePlanDialog),
)

const LOOK = {
  pending: ['pending', 'planned'],
  held: ['incomplete', 'held'],
  refused: ['rejected', 'refused'],
} as const satisfies Record<ListedSchedule['state'], readonly [Status, string]>

export function PlannedReleases({ planned }: { readonly planned: readonly ListedSchedule[] }) {
  const [moving, setMoving] = useState<ListedSchedule | null>(null)
  return (
    <Card>
      <CardHeader title="Planned" aside="every gate is evaluated at the planned time" />
      <ul>
        {planned.map((row) => (
          <li
            key={row.id}
            className="flex flex-wrap items-center gap-x-3 gap-y-1 border-border border-b px-3 py-1.5 last:border-b-0"
          >
            <StatusText status={LOOK[row.state][0]}>{LOOK[row.state][1]}</StatusText>
            <div className="min-w-0 flex-1 basis-72">
              <p>
                <code className="font-medium">
                  {row.ns}/{row.key}
                </code>{' '}
                {row.version === null ? 'draft' : `v${row.version}`} → {row.environment}
                <span className="text-text-2">
                  {' '}
                  (runs {row.live === null ? 'nothing' : `v${row.live}`}) · by{' '}
                  {row.author ?? 'a former member'}
                </span>
              </p>
              {row.reason !== null && <p className="text-deny-fg">{row.reason}</p>}
              <p className="text-small text-text-2">
                <Timestamp at={row.dueAt} style="second" />
                {row.state === 'pending' && (
                  <>
                    {' · '}
                    <Countdown until={row.dueAt} />
                  </>
                )}
                {` · chosen in ${row.zone}`}
                {row.note !== null && ` · “${row.note}”`}
              </p>
            </div>
            <Actions row={row} onMove={() => setMoving(row)} />
          </li>
        ))}
      </ul>
      {moving !== null && <MovePlanDialog row={moving} onClose={() => setMoving(null)} />}
    </Card>
  )
}

function Actions({ row, onMove }: { readonly row: ListedSchedule; readonly onMove: () => void }) {
  const client = useTRPCClient()
  const settled = usePlanSettled()
  const cancel = useMutation({
    mutationFn: () => client.schedules.cancel.mutate({ id: row.id }),
    onSettled: settled,
  })
  const editor = `${configPath(row.ns, row.key)}/edit?publish=${encodeURIComponent(row.environment)}`
  const versions = `${configPath(row.ns, row.key)}/versions`
  return (
    <div className="flex flex-wrap items-center gap-2">
      {row.state === 'refused' && (
        <LinkButton href={row.version === null ? editor : versions}>View its gates</LinkButton>
      )}
      <ReleaseButton environment={row.environment} onClick={onMove}>
        Change time
      </ReleaseButton>
      <ReleaseButton
        environment={row.environment}
        disabled={cancel.isPending}
        onClick={() => cancel.mutate()}
        aria-label={`Cancel the planned release of ${row.ns}/${row.key} to ${row.environment}`}
      >
        {row.state === 'refused' ? 'Dismiss' : 'Cancel'}
      </ReleaseButton>
      <ErrorLine className="text-small">{cancel.error?.message}</ErrorLine>
    </div>
  )
}
