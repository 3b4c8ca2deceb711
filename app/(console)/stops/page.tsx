// Why do agents not get to stop?
import type { Metadata } from 'next'
import { StopsPage } from '@/components/stops/stops-page.tsx'

export const metadata: Metadata = { title: 'Stops' }

export default function Page() {
  return <StopsPage />
}
