import type { Metadata } from 'next'
import { Destinations } from '@/components/alerts/destinations.tsx'

export const metadata: Metadata = { title: 'Settings · destinations' }

export default function DestinationsPage() {
  return <Destinations />
}
