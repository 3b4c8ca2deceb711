'use client'

import { plural } from '@signalbox/core/analysis'
import { useQuery } from '@tanstack/react-query'
import { SettingsFrame } from '@/components/shell/settings-frame.tsx'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { Appearance } from './appearance.tsx'
import { Logins } from './logins.tsx'
import { PasswordCard, type Refusal } from './password-card.tsx'

export function Profile({ refusal }: { readonly refusal: Refusal }) {
  const trpc = useTRPC()
  const { data, isPending, error, refetch } = useQuery(trpc.account.get.queryOptions())
  return (
    <SettingsFrame
      facts={
        data && `You are signed in as ${data.email} in ${plural(data.logins.length, 'browser')}.`
      }
    >
      <Appearance />
      {data === undefined && (
        <Card>
          <CardHeader title="Sign-in" />
          {isPending && <SkeletonRows />}
          {error !== null && (
            <ErrorState
              what="Your account could not be loaded."
              why={error}
              onRetry={() => void refetch()}
            />
          )}
        </Card>
      )}
      {data !== undefined && <PasswordCard account={data} refusal={refusal} />}
      {data !== undefined && <Logins logins={data.logins} />}
    </SettingsFrame>
  )
}
