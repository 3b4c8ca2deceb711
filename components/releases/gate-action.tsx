'use client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { UnmetClaims } from '@/components/claims/lazy-unmet-claims.tsx'
import { configPath } from '@/components/paths/config-path.ts'
import { useTRPC, useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import { Button, LinkButton } from '@/components/ui/button.tsx'
import { ErrorLine } from '@/components/ui/states.tsx'
import { Ago } from '@/components/ui/time.tsx'
import type { PlaceName } from '@/server/releases/release-place.ts'
import type { ReleaseReview } from '@/server/releases/release-review.ts'
import type { Subject } from '@/server/releases/release-subject.ts'
import type { ShownGate } from './gates.ts'

export interface GateActionProps {
  readonly gate: ShownGate
  readonly place: PlaceName
  readonly review: ReleaseReview
  /** Null: the subject could not be saved. */
  readonly subject: () => Promise<Subject | null>
  readonly note: string
}

export function GateAction(props: GateActionProps) {
  const { gate, place, review } = props
  switch (gate.id) {
    case 'approvals':
      return gate.passed && !gate.isOpen ? null : <AskForApproval {...props} />
    case 'backtest':
    case 'cases':
      if (gate.passed && !gate.isOpen) return null
      return (
        <LinkButton href={`${configPath(place.ns, place.key)}/edit?tab=backtest`}>
          Open backtest
        </LinkButton>
      )
    case 'runtimes':
      if (gate.question === null) return null
      return (
        <LinkButton href={`/runtimes?env=${encodeURIComponent(place.environment)}`}>
          Show runtimes
        </LinkButton>
      )
    case 'claim_broken':
    case 'claim_unknown':
      if (gate.claims === undefined) return null
      return <UnmetClaims prompt={place} claims={gate.claims} document={review.exampleText} />
    default:
      return null
  }
}

function AskForApproval({ place, review, subject, note }: GateActionProps) {
  const trpc = useTRPC()
  const client = useTRPCClient()
  const queries = useQueryClient()
  const ask = useMutation({
    mutationFn: async () => {
      const about = await subject()
      if (about === null)
        throw new Error('The draft could not be saved, so approval was not requested.')
      const result = await client.releaseApprovals.request.mutate({
        ...place,
        subject: about,
        note: note.trim() === '' ? null : note,
      })
      if (!result.ok) throw new Error(result.message)
    },
    onSettled: async () => {
      await queries.invalidateQueries({ queryKey: ['review'] })
      await queries.invalidateQueries({ queryKey: trpc.releaseApprovals.pathKey() })
    },
  })
  const { request, editor } = review
  if (request?.isForThis === true) {
    return (
      <span className="text-small text-text-2">
        {request.by ?? 'A former member'} requested approval <Ago at={request.at} />
        {editor === null
          ? ''
          : `; any publisher or admin except ${editor}, the last editor, can approve`}
      </span>
    )
  }
  return (
    <>
      <Button disabled={ask.isPending} onClick={() => ask.mutate()}>
        {request === null ? 'Request approval' : 'Request approval of this version'}
      </Button>
      <ErrorLine className="text-small">{ask.error?.message}</ErrorLine>
    </>
  )
}
