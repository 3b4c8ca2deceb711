import type { Metadata } from 'next'
import { Destinations } from '@/components/alerts/destinations.tsx'

export const metadata: Metadata = { title: 'Alert destinations' }

export default function Page() {
  return <Destinations />
}
