import type { Metadata } from 'next'
import { AuditEntry } from '@/components/audit-log/audit-entry.tsx'

export const metadata: Metadata = { title: 'Settings · audit log entry' }

export default async function AuditEntryPage({
  params,
}: {
  readonly params: Promise<{ readonly entryId: string }>
}) {
  return <AuditEntry id={(await params).entryId} />
}
