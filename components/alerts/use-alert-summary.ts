'use client'

import { useQuery } from '@tanstack/react-query'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import type { AlertSummary } from '@/server/alerts/recommended.ts'

/** Undefined: not loaded. */
export function useAlertSummary(): AlertSummary | undefined {
  const query = useQuery(useTRPC().alerts.summary.queryOptions())
  useReadOnChange({ kind: 'alert' }, query)
  return query.data
}
