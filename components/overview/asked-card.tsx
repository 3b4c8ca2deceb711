// A card with a question of its own: it loads, and fails, alone.
'use client'

import type { ReactNode } from 'react'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { ErrorState, Skeleton } from '@/components/ui/states.tsx'

interface Asked<Data> {
  readonly data: Data | undefined
  readonly error: { readonly message: string } | null
  readonly refetch: () => unknown
}

/** `children` draws what was answered, in a card of its own; until then `title` stands over the place. */
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
