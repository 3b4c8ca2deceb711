'use client'
// State of single sign-on and its identity provider, configured by environment variables.
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Card, CardHeader, KeyValueList } from '@/components/ui/card.tsx'
import { CopyButton } from '@/components/ui/copy.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '@/components/ui/states.tsx'

export function SingleSignOnCard() {
  const trpc = useTRPC()
  const { data, isPending, error, refetch } = useQuery(trpc.account.singleSignOn.queryOptions())
  return (
    <Card>
      <CardHeader title="Single sign-on" aside={data ? 'on' : 'OpenID Connect'} />
      {isPending && <SkeletonRows />}
      {error !== null && (
        <ErrorState
          what="The single sign-on settings could not be loaded."
          why={error}
          onRetry={() => void refetch()}
        />
      )}
      {data === null && (
        <EmptyState title="Single sign-on is off.">
          It is on when the server starts with <code>OIDC_ISSUER</code>, <code>OIDC_CLIENT_ID</code>{' '}
          and <code>OIDC_CLIENT_SECRET</code>. See specs/people.md.
        </EmptyState>
      )}
      {data !== undefined && data !== null && (
        <KeyValueList
          className="p-3"
          items={[
            { name: 'Issuer', value: <code>{data.issuer}</code> },
            { name: 'Client', value: <code>{data.clientId}</code> },
            {
              name: 'Callback',
              value: (
                <span className="inline-flex items-center gap-1">
                  <code className="break-all">{data.callback}</code>
                  <CopyButton text={data.callback} label="Copy the callback address" />
                </span>
              ),
            },
            {
              name: 'Admits',
              value:
                data.allowedDomains.length === 0
                  ? 'people with an account or an invitation'
                  : `people with an account or an invitation, and verified addresses of ${data.allowedDomains.join(', ')} as ${data.defaultRole}`,
            },
          ]}
        />
      )}
    </Card>
  )
}
