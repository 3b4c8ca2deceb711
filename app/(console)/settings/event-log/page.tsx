import type { Metadata } from 'next'
import { EventLogSettings } from '@/components/event-log/event-log.tsx'

export const metadata: Metadata = { title: 'Settings · event log' }

export default function EventLogPage() {
  return <EventLogSettings />
}
