// Settings: audit log.
import type { Metadata } from 'next'
import { AuditLog } from '@/components/settings/audit-log.tsx'

export const metadata: Metadata = { title: 'Settings · audit log' }

export default function AuditLogPage() {
  return <AuditLog />
}
