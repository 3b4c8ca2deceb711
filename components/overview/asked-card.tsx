// A card with its own query: it loads and fails independently.
'use client'

import type { ReactNode } from 'react'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { ErrorState, Skeleton } from '@/components/ui/states.tsx'

interface Asked<Data> {
  readonly data: Data | undefined
  readonly error: { readonly message: string } | null
  readonly refetch: () => unknown
}

/** `children` draws the result in its own card; until then `title` is shown in its place. */
export function AskedCard<Data>({
  title,
  query,
  children,
}: {
  readonly title: string
  readonly query: Asked<Data>
  readonly children: (data: Data) => ReactNode
}) {
  const { data, error, refetch } = query
  if (data !== undefined) return <>{children(data)}</>
  return (
    <Card>
      <CardHeader title={title} />
      {error === null ? (
        <Skeleton className="m-3 h-16" />
      ) : (
        <ErrorState
          what={`${title}: could not be read.`}
          why={error}
          onRetry={() => void refetch()}
        />
      )}
    </Card>
  )
}
