'use client'
// State of single sign-on and its identity provider, configured by environment variables.
import { useQuery } from '@tanstack/react-query'
import type { inferRouterOutputs } from '@trpc/server'
import { withPrefix } from '@/components/paths/prefix.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Card, CardHeader, KeyValueList } from '@/components/ui/card.tsx'
import { CopyButton } from '@/components/ui/copy.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import type { AppRouter } from '@/server/trpc/root.ts'

export function SingleSignOnCard() {
  const trpc = useTRPC()
  const { data, isPending, error, refetch } = useQuery(trpc.account.singleSignOn.queryOptions())
  return (
    <Card>
      <CardHeader title="Single sign-on" aside="OpenID Connect" />
      {isPending && <SkeletonRows />}
      {error !== null && (
        <ErrorState
          what="The single sign-on settings could not be loaded."
          why={error}
          onRetry={() => void refetch()}
        />
      )}
      {data?.length === 0 && (
        <EmptyState title="Single sign-on is off.">
          Set <code>OIDC_PROVIDERS</code>, or <code>OIDC_ISSUER</code>, <code>OIDC_CLIENT_ID</code>{' '}
          and <code>OIDC_CLIENT_SECRET</code>, and restart the server.{' '}
          <a href={withPrefix('/docs/specs/people')} className="text-link hover:underline">
            How to set it up
          </a>
        </EmptyState>
      )}
      {data?.map((provider) => (
        <ProviderFacts key={provider.id} provider={provider} />
      ))}
    </Card>
  )
}

type Provider = inferRouterOutputs<AppRouter>['account']['singleSignOn'][number]

const KNOWN = 'people with an account or an invitation'

function describeAdmission({ groups, allowedDomains, defaultRole }: Provider): string {
  if (groups !== null) {
    const others =
      groups.without === 'refuse' ? 'no one else' : `everyone else as ${groups.without}`
    const named = groups.count === 1 ? '1 group' : `${groups.count} groups`
    return `members of ${named} with the role of the group (claim ${groups.claim}), and ${others}`
  }
  if (allowedDomains.length === 0) return KNOWN
  return `${KNOWN}, and verified addresses of ${allowedDomains.join(', ')} as ${defaultRole}`
}

function ProviderFacts({ provider }: { readonly provider: Provider }) {
  const { label, issuer, clientId, callback } = provider
  return (
    <KeyValueList
      className="p-3"
      items={[
        { name: 'Provider', value: label },
        { name: 'Issuer', value: <code className="break-all">{issuer}</code> },
        { name: 'Client', value: <code className="break-all">{clientId}</code> },
        {
          name: 'Callback',
          value: (
            <span className="inline-flex items-center gap-1">
              <code className="break-all">{callback}</code>
              <CopyButton text={callback} label={`Copy the callback address of ${label}`} />
            </span>
          ),
        },
        { name: 'Admits', value: describeAdmission(provider) },
      ]}
    />
  )
}
