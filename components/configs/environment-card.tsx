'use client'

import { Lock, Rocket, Undo2 } from 'lucide-react'
import { liveIn } from '@/components/paths/live-in.ts'
import { useAdoption } from '@/components/releases/adoption-view.tsx'
import { type Move, rollbackTargets } from '@/components/releases/moves.ts'
import { StandingBadge } from '@/components/releases/release-standing.tsx'
import { ReleaseButton } from '@/components/shell/release-button.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { Ago } from '@/components/ui/time.tsx'
import type { ConfigDetail } from '@/server/configs/configs.ts'
import type { ListedEnvironment } from '@/server/runtimes/runtime-list.ts'

export interface EnvironmentCardProps {
  readonly config: ConfigDetail
  readonly environment: ListedEnvironment
  readonly next: string | null
  readonly isShown: boolean
  readonly onShow: () => void
  readonly onMove: (move: Move) => void
}

export function findPromotion(
  config: ConfigDetail,
  environment: string,
  next: string | null,
): Move | null {
  const version = liveIn(config, environment)
  // To put an older version in the place of a newer one is a rollback.
  if (version === null || next === null || (liveIn(config, next) ?? 0) >= version) return null
  return { kind: 'promote', environment: next, version }
}

export function findRollback(config: ConfigDetail, environment: string): Move | null {
  const [version] = rollbackTargets(config, environment)
  if (liveIn(config, environment) === null || version === undefined) return null
  return { kind: 'rollback', environment, version }
}

export function EnvironmentCard(props: EnvironmentCardProps) {
  const { config, environment, next, isShown, onShow, onMove } = props
  const { name, requiresTypedName } = environment
  const pointer = config.pointers.find((each) => each.environment === name)
  const on = findPromotion(config, name, next)
  const back = findRollback(config, name)
  return (
    <Card className="flex h-full flex-col">
      <CardHeader
        title={
          <span className="inline-flex items-center gap-1.5">
            {requiresTypedName && <Lock size={12} aria-hidden />}
            {name}
          </span>
        }
        aside={pointer === undefined ? undefined : `v${pointer.version}`}
      />
      <div className="flex flex-1 flex-col gap-2 p-3">
        {pointer === undefined ? (
          <p className="text-text-2">No version is released here yet.</p>
        ) : (
          <>
            <Adopted releaseId={pointer.releaseId} />
            <p className="text-text-2">
              Released by {pointer.author ?? 'a former member'}, <Ago at={pointer.releasedAt} />
            </p>
          </>
        )}
        <div className="mt-auto flex flex-wrap gap-2 empty:hidden">
          {on !== null && (
            <ReleaseButton environment={on.environment} onClick={() => onMove(on)}>
              <Rocket size={14} aria-hidden /> Promote v{on.version} to {on.environment}
            </ReleaseButton>
          )}
          {back !== null && (
            <ReleaseButton environment={name} onClick={() => onMove(back)}>
              <Undo2 size={14} aria-hidden /> Roll back {name}
            </ReleaseButton>
          )}
          {pointer !== undefined &&
            (isShown ? (
              <span className="flex min-h-6 items-center text-text-2">Rules shown below</span>
            ) : (
              <Button variant="quiet" className="text-link" onClick={onShow}>
                Show rules <span className="sr-only">of {name}</span>
              </Button>
            ))}
        </div>
      </div>
    </Card>
  )
}

function Adopted({ releaseId }: { readonly releaseId: string }) {
  const { data } = useAdoption(releaseId)
  if (data === undefined) return null
  const refused = data.runtimes.filter(({ state }) => state === 'rejected')
  return (
    <div className="flex flex-col items-start gap-1">
      <StandingBadge release={data} />
      {refused.map(({ id, name, reason }) => (
        <p key={id} className="text-deny-fg text-small">
          Rejected by {name}: {reason ?? 'no reason given'}
        </p>
      ))}
    </div>
  )
}
