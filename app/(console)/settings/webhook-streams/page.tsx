import type { Metadata } from 'next'
import { WebhookStreams } from '@/components/webhook-streams/webhook-streams.tsx'

export const metadata: Metadata = { title: 'Settings · webhook streams' }

export default function WebhookStreamsPage() {
  return <WebhookStreams />
}
