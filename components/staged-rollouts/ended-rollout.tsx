import type { ReactNode } from 'react'
import { describeVerdict } from '@/components/releases/verdict-words.ts'
import { StatusBadge } from '@/components/ui/status-badge.tsx'
import { Ago } from '@/components/ui/time.tsx'
import { actorsText, type Ended, reachText } from './ended-words.ts'

export function EndedRollout({
  rollout,
  config,
}: {
  readonly rollout: Ended
  /** Absent: the page is about the config. */
  readonly config?: ReactNode
}) {
  const { version, baseVersion, environment, reason, settledAt } = rollout
  const { status, title } = describeVerdict(rollout)
  return (
    <li className="flex flex-col gap-1 border-border border-b px-3 py-2 last:border-b-0">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <StatusBadge status={status}>{title}</StatusBadge>
        {config}
        <span>
          v{version} beside v{baseVersion} in {environment}
        </span>
        <span className="text-text-2">
          {reachText(rollout)}
          {settledAt !== null && (
            <>
              {' · '}
              <Ago at={settledAt} />
            </>
          )}
        </span>
      </div>
      <p className="break-words text-text-2">{actorsText(rollout)}</p>
      {reason !== null && <p className="break-words text-text-2">{reason}</p>}
    </li>
  )
}
