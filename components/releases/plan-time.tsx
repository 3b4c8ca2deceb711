import { Timestamp } from '@/components/ui/time.tsx'
import type { RequestedRelease } from '@/server/releases/release-approvals.ts'

/** Continues a sentence: "scheduled for …". */
export function PlanTime({
  plan: { state, dueAt },
}: {
  readonly plan: NonNullable<RequestedRelease['plan']>
}) {
  return (
    <>
      {state === 'held' ? 'held; it was ' : ''}scheduled for <Timestamp at={dueAt} style="second" />
      {state === 'refused' ? ', which has passed' : ''}
    </>
  )
}
