// Settings: destinations.
import type { Metadata } from 'next'
import { Destinations } from '@/components/settings/destinations.tsx'

export const metadata: Metadata = { title: 'Settings · destinations' }

export default function DestinationsPage() {
  return <Destinations />
}
