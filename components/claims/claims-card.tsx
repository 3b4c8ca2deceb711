'use client'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { configPath } from '@/components/paths/config-path.ts'
import { useConfigRights } from '@/components/shell/use-config-rights.ts'
import { useTRPC, useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import { IconButton } from '@/components/ui/button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { Link } from '@/components/ui/link.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { toast } from '@/components/ui/toast.tsx'
import { Words } from '@/components/ui/words.tsx'
import type { ClaimView } from '@/server/claims/claims.ts'
import { EXPECTED } from './expected.ts'

export function ClaimsCard({
  ns,
  name,
  hasLink = true,
}: {
  readonly ns: string
  readonly name: string
  /** False: the questions are on the same page. */
  readonly hasLink?: boolean
}) {
  const trpc = useTRPC()
  const query = useQuery(trpc.claims.of.queryOptions({ ns, key: name }))
  useReadOnChange({ kind: 'config' }, query)
  const { data, error } = query
  return (
    <Card>
      <CardHeader
        title="Claims"
        aside={data === undefined ? undefined : `${data.length}`}
        actions={
          hasLink && (
            <Link
              href={`${configPath(ns, name)}/edit?tab=ask`}
              className="text-link hover:underline"
            >
              Ask a question
            </Link>
          )
        }
      />
      {data === undefined && error === null && <SkeletonRows />}
      {data === undefined && error !== null && (
        <ErrorState
          what="The claims could not be read."
          why={error}
          onRetry={() => void query.refetch()}
        />
      )}
      {data?.length === 0 && (
        <EmptyState title="No claims.">
          Ask what the rules allow, and choose “Make it a claim”. Every later release is then
          checked against the answer.
        </EmptyState>
      )}
      {data !== undefined && data.length > 0 && (
        <ul aria-label="Claims" className="bg-surface">
          {data.map((claim) => (
            <ClaimRow key={claim.id} claim={claim} onRemoved={() => void query.refetch()} />
          ))}
        </ul>
      )}
    </Card>
  )
}

function ClaimRow({
  claim: { id, sentence, expect, author },
  onRemoved,
}: {
  readonly claim: ClaimView
  readonly onRemoved: () => void
}) {
  const client = useTRPCClient()
  const { isAllowed, reason } = useConfigRights().archive
  const remove = useMutation({
    mutationFn: () => client.claims.remove.mutate({ id }),
    onSuccess: onRemoved,
    onError: ({ message }) => toast.error(message),
  })
  return (
    <li className="flex items-center gap-x-4 border-border border-b px-4 py-2 last:border-b-0">
      <div className="min-w-0 flex-1">
        <p className="break-words font-medium">
          <Words text={sentence} />
        </p>
        <p className="text-small text-text-2">
          {EXPECTED[expect]} · added by {author ?? 'a former member'}
        </p>
      </div>
      <span title={reason ?? undefined}>
        <IconButton
          label={`Remove the claim ${sentence.replaceAll('`', '')}`}
          disabled={!isAllowed || remove.isPending}
          onClick={() => remove.mutate()}
        >
          <Trash2 size={14} aria-hidden />
        </IconButton>
      </span>
    </li>
  )
}
