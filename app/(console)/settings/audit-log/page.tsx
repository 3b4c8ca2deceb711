import type { Metadata } from 'next'
import { AuditLog } from '@/components/audit-log/audit-log.tsx'
import { openView, type SearchParams } from '../../open-view.ts'

export const metadata: Metadata = { title: 'Settings · audit log' }

export default async function AuditLogPage({
  searchParams,
}: {
  readonly searchParams: SearchParams
}) {
  await openView('settings/audit', searchParams)
  return <AuditLog openedAt={Date.now()} />
}
