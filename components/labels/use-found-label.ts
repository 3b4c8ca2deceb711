'use client'

import { useQuery } from '@tanstack/react-query'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import type { LabelProps } from './label-props.ts'

/** undefined: it has no label, or the labels are not loaded. */
export function useFoundLabel({ sessionId, seq }: LabelProps) {
  const trpc = useTRPC()
  const query = useQuery(trpc.labels.list.queryOptions({ sessionId }))
  useReadOnChange({ kind: 'label', id: sessionId }, query)
  return query.data?.find((label) => label.seq === seq)
}
