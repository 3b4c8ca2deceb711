import type { Metadata } from 'next'
import { Retention } from '@/components/retention/retention.tsx'

export const metadata: Metadata = { title: 'Settings · retention' }

export default function Page() {
  return <Retention />
}
