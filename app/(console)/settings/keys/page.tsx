import type { Metadata } from 'next'
import { Keys } from '@/components/people/keys.tsx'

export const metadata: Metadata = { title: 'Settings · keys' }

export default function KeysPage() {
  return <Keys />
}
