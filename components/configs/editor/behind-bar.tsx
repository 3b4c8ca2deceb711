'use client'
import { Button } from '@/components/ui/button.tsx'
import { StatusIcon } from '@/components/ui/status-badge.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import { FieldConflicts } from './field-conflicts.tsx'
import type { Behind } from './use-behind.ts'

export function BehindBar({
  behind,
  readOnly,
}: {
  readonly behind: Behind
  readonly readOnly: boolean
}) {
  const { version, environment, release, merge, update } = behind
  if (merge !== null) {
    return (
      <FieldConflicts
        merge={merge}
        who={`v${version}`}
        onChosen={(choices) => void update(choices)}
      />
    )
  }
  return (
    <div
      role="status"
      className="flex shrink-0 flex-wrap items-center gap-2 border-warning-bd border-b bg-surface-2 px-4 py-1"
    >
      <StatusIcon status="warning" />
      <span className="min-w-0 flex-1">
        v{version} went live in {environment}
        {release !== null && (
          <>
            {' '}
            ({release.by ?? 'a former member'}, <Timestamp at={release.at} style="second" />)
          </>
        )}
        . This draft was made from an older version.
      </span>
      <Button disabled={readOnly} onClick={() => void update(new Map())}>
        Update draft
      </Button>
    </div>
  )
}
